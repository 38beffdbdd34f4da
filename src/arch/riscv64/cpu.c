/* SPDX-License-Identifier: MIT */
#include "cpu.h"

#include <elf.h>

#include "plt_riscv64.h"

#if CS_API_MAJOR >= 5
#define ARCH CS_ARCH_RISCV
#define MODE (CS_MODE_RISCV64 | CS_MODE_RISCVC)

/* Reads the distance to the target from the last operand. That of jalr is from a register. */
static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	const cs_riscv *detail = &instruction->detail->riscv;
	const cs_riscv_op *last = detail->operands + detail->op_count - 1;

	if (!detail->op_count || last->type != RISCV_OP_IMM || instruction->id == RISCV_INS_JALR)
		return false;
	*target = instruction->address + (uint64_t)last->imm;
	return true;
}
#else /* it does not know this CPU, and cs_open() returns an error */
#define ARCH CS_ARCH_MAX
#define MODE CS_MODE_LITTLE_ENDIAN

static bool jump_target(const cs_insn *instruction, uint64_t *target)
{
	(void)instruction;
	(void)target;
	return false;
}
#endif

static bool stub_slot(const struct arch_stub *stub, uint64_t *slot)
{
	return stub->size >= ARCH_PLT_JUMP_BYTES && arch_plt_jumps(stub->code, stub->address, slot);
}

const struct arch_cpu arch_cpu_riscv64 = {
	.machine = EM_RISCV,
	.elf_class = ELFCLASS64,
	.arch = ARCH,
	.mode = MODE,
	.jump_target = jump_target,
	.stub_step = 16,
	.stub_slot = stub_slot,
};
