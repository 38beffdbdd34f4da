/* SPDX-License-Identifier: MIT */
#include "symbol/disassembler.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cpu.h"

#define TEXT_OF(number)    #number
#define LIBRARY_OF(number) "libcapstone.so." TEXT_OF(number)
#define LIBRARY            LIBRARY_OF(CS_API_MAJOR)

struct disassembler {
	void *library;
	enum disassembler_syntax syntax;
	/* Once a CPU has been chosen: */
	const struct arch_cpu *cpu;
	csh handle;
	cs_insn *instruction; /* capstone's buffer for one */
	/* The functions used. */
	typeof(cs_open) *open;
	typeof(cs_close) *close;
	typeof(cs_option) *option;
	typeof(cs_malloc) *malloc;
	typeof(cs_free) *free;
	typeof(cs_disasm_iter) *next;
	typeof(cs_insn_group) *is_of_group;
};

/* Loads the library. False: it is not installed. */
static bool load(struct disassembler *disassembler)
{
	const struct {
		const char *name;
		void *place;
	} functions[] = {
		{ "cs_open", &disassembler->open },
		{ "cs_close", &disassembler->close },
		{ "cs_option", &disassembler->option },
		{ "cs_malloc", &disassembler->malloc },
		{ "cs_free", &disassembler->free },
		{ "cs_disasm_iter", &disassembler->next },
		{ "cs_insn_group", &disassembler->is_of_group },
	};

	/* Stays loaded: loading it again for each function would take longer than showing the
	 * function. */
	disassembler->library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		void *found = disassembler->library
				      ? dlsym(disassembler->library, functions[i].name)
				      : NULL;

		if (!found)
			return false;
		*(void **)functions[i].place = found;
	}
	return true;
}

int disassembler_new(struct disassembler **made, enum disassembler_syntax syntax)
{
	struct disassembler *disassembler = calloc(1, sizeof(*disassembler));

	if (!disassembler)
		return -ENOMEM;
	if (!load(disassembler)) {
		disassembler_free(disassembler);
		return -ENOENT;
	}
	disassembler->syntax = syntax;
	*made = disassembler;
	return 0;
}

static void let_go(struct disassembler *disassembler)
{
	if (disassembler->instruction)
		disassembler->free(disassembler->instruction, 1);
	if (disassembler->handle)
		disassembler->close(&disassembler->handle);
	disassembler->instruction = NULL;
	disassembler->handle = 0;
	disassembler->cpu = NULL;
}

void disassembler_free(struct disassembler *disassembler)
{
	if (!disassembler)
		return;
	let_go(disassembler);
	if (disassembler->library)
		dlclose(disassembler->library);
	free(disassembler);
}

int disassembler_choose(struct disassembler *disassembler, const struct arch_cpu *cpu)
{
	csh handle;

	if (!cpu)
		return -ENOTSUP;
	if (disassembler->cpu == cpu)
		return 0;
	let_go(disassembler);
	if (disassembler->open(cpu->arch, cpu->mode, &handle))
		return -ENOTSUP;
	disassembler->handle = handle;
	disassembler->option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	disassembler->option(handle, CS_OPT_SYNTAX,
			     disassembler->syntax == DISASSEMBLER_INTEL ? CS_OPT_SYNTAX_INTEL
									: CS_OPT_SYNTAX_ATT);
	disassembler->instruction = disassembler->malloc(handle);
	if (!disassembler->instruction)
		return -ENOMEM;
	disassembler->cpu = cpu;
	return 0;
}

/* Takes data between instructions, or an instruction unknown to capstone. */
static void take_byte(struct disassembler_code *code, struct disassembler_instruction *instruction)
{
	instruction->size = 1;
	snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), ".byte");
	snprintf(instruction->operands, sizeof(instruction->operands), "0x%02x", *code->bytes);
	code->bytes++;
	code->size--;
	code->address++;
}

bool disassembler_next(struct disassembler *disassembler, struct disassembler_code *code,
		       struct disassembler_instruction *instruction)
{
	const cs_insn *found = disassembler->instruction;

	if (!code->size)
		return false;
	*instruction = (struct disassembler_instruction){ .address = code->address };
	if (!disassembler->next(disassembler->handle, &code->bytes, &code->size, &code->address,
				disassembler->instruction)) {
		take_byte(code, instruction);
		return true;
	}
	instruction->size = found->size;
	snprintf(instruction->mnemonic, sizeof(instruction->mnemonic), "%s", found->mnemonic);
	snprintf(instruction->operands, sizeof(instruction->operands), "%s", found->op_str);
	instruction->is_call = disassembler->is_of_group(disassembler->handle, found, CS_GRP_CALL);
	instruction->is_jump = disassembler->is_of_group(disassembler->handle, found, CS_GRP_JUMP);
	if (instruction->is_call || instruction->is_jump)
		instruction->has_target =
			disassembler->cpu->jump_target(found, &instruction->target);
	return true;
}
