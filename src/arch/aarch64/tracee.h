/* SPDX-License-Identifier: MIT
 *
 * tracee.h - how a tracer makes a stopped thread of aarch64 call a function and come back. For the
 * tools: see attach/inject/remote.h.
 *
 * The thread's registers are kept in two places: in the tracer, which restores them, and in a
 * signal frame in the target, to which the function returns. If the tracer dies meanwhile, the
 * thread restores itself by rt_sigreturn().
 *
 *	sp at entry ->	siginfo		unused
 *			ucontext	the registers
 *			records		vectors, and SVE's if the thread uses it
 *	x30 at entry	sigreturn	address of: mov x8, #139; svc #0
 *
 * The kernel shows a system call that it will restart as one that has not begun: the program
 * counter is at svc again, and x0 is the first argument. It may go on as restart_syscall(), which
 * is only seen when it is made: see remote_borrow().
 */
#ifndef DWELL_ARCH_TRACEE_H
#define DWELL_ARCH_TRACEE_H

#include <asm/ptrace.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <ucontext.h>

#include "frame.h"

/* Memory below the stack pointer that belongs to the interrupted function. */
#define ARCH_REMOTE_RED_ZONE 0

#define ARCH_REMOTE_SVC 0xd4000001U
#define ARCH_REMOTE_RET 0xd65f03c0U

/* Not in every libc's header. */
#define ARCH_REMOTE_SSVE 0x40b /* SVE's registers in the streaming mode of SME */
#define ARCH_REMOTE_ZA   0x40c /* and its matrix */

#define ARCH_REMOTE_VQ_MAX      16 /* 2048 bits, the most that the architecture permits */
#define ARCH_REMOTE_VECTORS_MAX SVE_PT_SIZE(ARCH_REMOTE_VQ_MAX, SVE_PT_REGS_SVE)

struct arch_remote {
	struct user_regs_struct registers;
	/* As NT_ARM_SVE has them, with a header; as NT_PRFPREG has them where the CPU has no SVE.
	 */
	unsigned char vectors[ARCH_REMOTE_VECTORS_MAX] __attribute__((aligned(16)));
	size_t vectors_bytes;
	bool has_header;
	bool uses_matrix;    /* the thread uses SME, whose state a call would not preserve */
	uint32_t before, at; /* the instructions before the program counter and at it */
	long restart;        /* number by which a call at svc goes on; 0: its own */
	uintptr_t thread;
	uint64_t mask; /* of signals */
};

/* ---- ptrace() ---- */

static inline int arch_remote_get_set(pid_t tid, long set, void *to, size_t *size)
{
	struct iovec vector = { to, *size };

	if (ptrace(PTRACE_GETREGSET, tid, (void *)set, &vector))
		return -errno;
	*size = vector.iov_len;
	return 0;
}

static inline int arch_remote_set_set(pid_t tid, long set, const void *from, size_t size)
{
	struct iovec vector = { (void *)from, size };

	return ptrace(PTRACE_SETREGSET, tid, (void *)set, &vector) ? -errno : 0;
}

/* Returns whether a register set of SME has more than its header, which begins with its size. */
static inline bool arch_remote_has_more(pid_t tid, long set)
{
	struct user_sve_header header = { 0 };
	size_t size = sizeof(header);

	return arch_remote_get_set(tid, set, &header, &size) == 0 && header.size > sizeof(header);
}

static inline int arch_remote_get_vectors(pid_t tid, struct arch_remote *state)
{
	int err;

	state->vectors_bytes = sizeof(state->vectors);
	state->has_header = true;
	err = arch_remote_get_set(tid, NT_ARM_SVE, state->vectors, &state->vectors_bytes);
	if (!err)
		return 0;
	state->vectors_bytes = sizeof(state->vectors);
	state->has_header = false;
	return arch_remote_get_set(tid, NT_PRFPREG, state->vectors, &state->vectors_bytes);
}

/* Reads the instructions around the program counter: a thread may have jumped anywhere. */
static inline void arch_remote_get_code(pid_t tid, struct arch_remote *state)
{
	uint32_t code[2] = { 0 };
	struct iovec from = { (void *)(state->registers.pc - sizeof(*code)), sizeof(code) };
	struct iovec to = { code, sizeof(code) };

	if (process_vm_readv(tid, &to, 1, &from, 1, 0) != (ssize_t)sizeof(code))
		memset(code, 0, sizeof(code));
	state->before = code[0];
	state->at = code[1];
}

static inline int arch_remote_registers(pid_t tid, struct user_regs_struct *registers)
{
	size_t size = sizeof(*registers);

	return arch_remote_get_set(tid, NT_PRSTATUS, registers, &size);
}

/* Reads all but the mask. Returns 0 or -errno. */
static inline int arch_remote_get(pid_t tid, struct arch_remote *state)
{
	size_t size = sizeof(state->thread);
	int err = arch_remote_registers(tid, &state->registers);

	if (!err)
		err = arch_remote_get_vectors(tid, state);
	if (!err)
		err = arch_remote_get_set(tid, NT_ARM_TLS, &state->thread, &size);
	if (err)
		return err;
	arch_remote_get_code(tid, state);
	state->restart = 0;
	state->uses_matrix = arch_remote_has_more(tid, ARCH_REMOTE_SSVE) ||
			     arch_remote_has_more(tid, ARCH_REMOTE_ZA);
	return 0;
}

/* Sets the number of the system call that the thread is in; -1: it is in none any more, and one
 * that it was about to make is not made. */
static inline int arch_remote_set_call(pid_t tid, int number)
{
	return arch_remote_set_set(tid, NT_ARM_SYSTEM_CALL, &number, sizeof(number));
}

static inline int arch_remote_set(pid_t tid, const struct user_regs_struct *registers)
{
	int err = arch_remote_set_set(tid, NT_PRSTATUS, registers, sizeof(*registers));

	return err ? err : arch_remote_set_call(tid, -1);
}

/* Restores all but the mask. */
static inline void arch_remote_restore(pid_t tid, const struct arch_remote *state)
{
	struct user_regs_struct registers = state->registers;

	if (state->restart)
		registers.regs[8] = (unsigned long long)state->restart;
	arch_remote_set_set(tid, state->has_header ? NT_ARM_SVE : NT_PRFPREG, state->vectors,
			    state->vectors_bytes);
	arch_remote_set(tid, &registers);
}

/* ---- places ---- */

/* Code of the target that a call needs: svc #0; ret. The other is arch_signal_return(). */
#define ARCH_REMOTE_SYSCALL_BYTES 8
static inline bool arch_remote_syscall_code(const uint8_t *code)
{
	return arch_word(code) == ARCH_REMOTE_SVC && arch_word(code + 4) == ARCH_REMOTE_RET;
}

/* From the start of that code to what the kernel reports as its program counter. */
#define ARCH_REMOTE_SYSCALL_INSTRUCTION 4

static inline uintptr_t arch_remote_pc(const struct user_regs_struct *registers)
{
	return registers->pc;
}

static inline uintptr_t arch_remote_sp(const struct user_regs_struct *registers)
{
	return registers->sp;
}

static inline uintptr_t arch_remote_thread(const struct arch_remote *state)
{
	return state->thread;
}

/* Returns whether the thread is in a state from which it can call functions. */
static inline bool arch_remote_can_call(const struct arch_remote *state)
{
	const unsigned long long is_32_bit = 1 << 4;

	return !(state->registers.pstate & is_32_bit) && !state->uses_matrix;
}

/* Stores the registers by their DWARF numbers. */
static inline void arch_remote_unwind(uintptr_t to[], const struct user_regs_struct *from)
{
	for (unsigned i = 0; i <= ARCH_FRAME_LINK; i++)
		to[i] = from->regs[i];
	to[ARCH_FRAME_SP] = from->sp;
	to[ARCH_FRAME_PC] = from->pc;
}

/* Registers, by their DWARF numbers from 0 on, in which a function may keep its return address. */
#define ARCH_REMOTE_LINKS 31

static inline void arch_remote_set_links(struct user_regs_struct *registers,
					 const uintptr_t from[ARCH_REMOTE_LINKS])
{
	for (unsigned i = 0; i < ARCH_REMOTE_LINKS; i++)
		registers->regs[i] = from[i];
}

/* ---- system calls ---- */

/* Returns whether the thread is about to make a system call, for the first time or again. */
static inline bool arch_remote_is_at_call(const struct arch_remote *state)
{
	return state->at == ARCH_REMOTE_SVC;
}

static inline void arch_remote_go_on_by(struct arch_remote *state, long number)
{
	if (number != (long)state->registers.regs[8])
		state->restart = number;
}

/* Returns whether the thread, interrupted in a call that ends at `end`, will make it again. */
static inline bool arch_remote_restarts(const struct user_regs_struct *registers, uintptr_t end)
{
	return registers->pc == end - ARCH_REMOTE_SYSCALL_INSTRUCTION;
}

/* Returns whether the thread was in a system call that has failed with EINTR. */
static inline bool arch_remote_was_interrupted(const struct arch_remote *state)
{
	return state->before == ARCH_REMOTE_SVC && (long)state->registers.regs[0] == -EINTR;
}

/* Returns the number of the system call that the thread is in, or at; -1: none. */
static inline long arch_remote_in_call(const struct arch_remote *state)
{
	return arch_remote_is_at_call(state) || arch_remote_was_interrupted(state)
		       ? (long)state->registers.regs[8]
		       : -1;
}

/* The result has replaced the first argument, which the kernel still has. */
#define ARCH_REMOTE_LOSES_ARGUMENT 1

/* Makes the thread execute its system call again, from the start. */
static inline void arch_remote_repeat(struct user_regs_struct *registers, uintptr_t argument)
{
	registers->regs[0] = argument;
	registers->pc -= ARCH_REMOTE_SYSCALL_INSTRUCTION;
}

/* ---- calls ---- */

/* Changes the registers to those at the entry of a function that returns to the frame at sp. */
static inline void arch_remote_call(struct user_regs_struct *registers, uintptr_t function,
				    const uintptr_t arguments[4], uintptr_t sp, uintptr_t sigreturn)
{
	const unsigned long long branch_type = 3 << 10; /* or a landing pad would be needed */

	for (unsigned i = 0; i < 4; i++)
		registers->regs[i] = arguments[i];
	registers->regs[29] = 0;
	registers->regs[30] = sigreturn;
	registers->sp = sp;
	registers->pc = function;
	registers->pstate &= ~branch_type;
}

static inline void arch_remote_syscall(struct user_regs_struct *registers, uintptr_t code, long nr,
				       const uintptr_t arguments[6], uintptr_t sp,
				       uintptr_t sigreturn)
{
	arch_remote_call(registers, code, arguments, sp, sigreturn);
	registers->regs[4] = arguments[4];
	registers->regs[5] = arguments[5];
	registers->regs[8] = (unsigned long long)nr;
}

/* ---- the frame ---- */

#define ARCH_REMOTE_FRAME_ALIGNMENT 16
#define ARCH_REMOTE_FRAME_POPPED    0 /* bytes of it that a return takes off the stack */

/* The records of a frame: vectors; where SVE's are; those; an end behind each of the last two. */
struct arch_remote_records {
	struct fpsimd_context plain;
	struct extra_context extra;
	struct _aarch64_ctx end[2];
	unsigned char sve[(SVE_SIG_CONTEXT_SIZE(ARCH_REMOTE_VQ_MAX) + 15) / 16 * 16];
	struct _aarch64_ctx last[2];
};

#define ARCH_REMOTE_RECORDS_AT (sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.__reserved))
#define ARCH_REMOTE_FRAME_MAX  (ARCH_REMOTE_RECORDS_AT + sizeof(struct arch_remote_records))

/* Puts SVE's registers into a record, and the part that others see into theirs. */
static inline void arch_remote_put_sve(struct arch_remote_records *records, uint64_t address,
				       const unsigned char *vectors)
{
	const struct user_sve_header *header = (const struct user_sve_header *)vectors;
	unsigned vq = sve_vq_from_vl(header->vl);
	uint32_t size = (SVE_SIG_CONTEXT_SIZE(vq) + 15) / 16 * 16;
	struct sve_context head = { .head = { SVE_MAGIC, size }, .vl = header->vl };

	for (unsigned i = 0; i < 32; i++)
		memcpy(&records->plain.vregs[i], vectors + SVE_PT_SVE_ZREG_OFFSET(vq, i),
		       sizeof(records->plain.vregs[i]));
	memcpy(&records->plain.fpsr, vectors + SVE_PT_SVE_FPSR_OFFSET(vq), sizeof(uint32_t));
	memcpy(&records->plain.fpcr, vectors + SVE_PT_SVE_FPCR_OFFSET(vq), sizeof(uint32_t));
	records->extra = (struct extra_context){
		.head = { EXTRA_MAGIC, sizeof(records->extra) },
		.datap = address + offsetof(struct arch_remote_records, sve),
		.size = size + sizeof(records->last),
	};
	memcpy(records->sve, &head, sizeof(head));
	memcpy(records->sve + SVE_SIG_REGS_OFFSET, vectors + SVE_PT_SVE_OFFSET,
	       SVE_SIG_REGS_SIZE(vq));
}

/* Puts the vectors into the records that will be at `address`; an end is zeroes. */
static inline void arch_remote_put_vectors(struct arch_remote_records *records, uint64_t address,
					   const struct arch_remote *state)
{
	const struct user_sve_header *header = (const struct user_sve_header *)state->vectors;
	const unsigned char *plain =
		state->vectors + (state->has_header ? SVE_PT_FPSIMD_OFFSET : 0);
	const struct user_fpsimd_state *values = (const struct user_fpsimd_state *)plain;

	records->plain.head = (struct _aarch64_ctx){ FPSIMD_MAGIC, sizeof(records->plain) };
	if (state->has_header && (header->flags & SVE_PT_REGS_MASK) == SVE_PT_REGS_SVE) {
		arch_remote_put_sve(records, address, state->vectors);
		return;
	}
	memcpy(records->plain.vregs, values->vregs, sizeof(records->plain.vregs));
	records->plain.fpsr = values->fpsr;
	records->plain.fpcr = values->fpcr;
}

/* Writes the frame that will be at `address`. Returns its size in bytes. */
static inline size_t arch_remote_frame(unsigned char bytes[ARCH_REMOTE_FRAME_MAX],
				       const struct arch_remote *state, uintptr_t address,
				       uintptr_t sigreturn)
{
	struct arch_remote_records records = { 0 };
	ucontext_t context = { 0 };

	(void)sigreturn;
	arch_remote_put_vectors(&records, address + ARCH_REMOTE_RECORDS_AT, state);
	memcpy(context.uc_mcontext.regs, state->registers.regs, sizeof(state->registers.regs));
	context.uc_mcontext.sp = state->registers.sp;
	context.uc_mcontext.pc = state->registers.pc;
	context.uc_mcontext.pstate = state->registers.pstate;
	/* Invalid, so that the alternate stack stays as it is. */
	context.uc_stack.ss_flags = 0x7f;
	memcpy(&context.uc_sigmask, &state->mask, sizeof(state->mask));
	memcpy(bytes + sizeof(siginfo_t), &context, offsetof(ucontext_t, uc_mcontext.__reserved));
	memcpy(bytes + ARCH_REMOTE_RECORDS_AT, &records, sizeof(records));
	return ARCH_REMOTE_FRAME_MAX;
}

#endif
