/* SPDX-License-Identifier: MIT
 *
 * tracee.h - how a tracer makes a stopped thread of x86-64 call a function and come back. For the
 * tools: see attach/inject/remote.h.
 *
 * The thread's registers are kept in two places: in the tracer, which restores them, and in a
 * signal frame in the target, to which the function returns. If the tracer dies meanwhile, the
 * thread restores itself by rt_sigreturn().
 *
 *	sp at entry ->	sigreturn	address of: mov $15, %rax; syscall
 *			ucontext	the registers; the address of the next
 *			xstate		vectors and x87, as XSAVE stores them
 */
#ifndef DWELL_ARCH_TRACEE_H
#define DWELL_ARCH_TRACEE_H

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
#define ARCH_REMOTE_RED_ZONE 128

/* Vectors and x87 take at most that many bytes; with AMX, 11 KB. */
#define ARCH_REMOTE_XSTATE_MAX  16384
#define ARCH_REMOTE_SOFTWARE_AT 464 /* offset in it of what the CPU leaves to software */

struct arch_remote {
	struct user_regs_struct registers;
	unsigned char xstate[ARCH_REMOTE_XSTATE_MAX];
	size_t xstate_bytes;
	uint64_t mask; /* of signals */
};

/* ---- ptrace() ---- */

static inline int arch_remote_registers(pid_t tid, struct user_regs_struct *registers)
{
	struct iovec vector = { registers, sizeof(*registers) };

	return ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &vector) ? -errno : 0;
}

/* Reads all but the mask. Returns 0 or -errno. */
static inline int arch_remote_get(pid_t tid, struct arch_remote *state)
{
	struct iovec vector = { state->xstate, sizeof(state->xstate) - sizeof(uint64_t) };
	int err = arch_remote_registers(tid, &state->registers);

	if (!err && ptrace(PTRACE_GETREGSET, tid, (void *)NT_X86_XSTATE, &vector))
		err = -errno;
	state->xstate_bytes = vector.iov_len;
	return err;
}

static inline int arch_remote_set(pid_t tid, const struct user_regs_struct *registers)
{
	struct iovec vector = { (void *)registers, sizeof(*registers) };

	return ptrace(PTRACE_SETREGSET, tid, (void *)NT_PRSTATUS, &vector) ? -errno : 0;
}

/* Restores all but the mask. */
static inline void arch_remote_restore(pid_t tid, const struct arch_remote *state)
{
	struct iovec vector = { (void *)state->xstate, state->xstate_bytes };

	ptrace(PTRACE_SETREGSET, tid, (void *)NT_X86_XSTATE, &vector);
	arch_remote_set(tid, &state->registers);
}

/* ---- places ---- */

/* Code of the target that a call needs: syscall; ret. The other is arch_signal_return(). */
#define ARCH_REMOTE_SYSCALL_BYTES 3
static inline bool arch_remote_syscall_code(const uint8_t *code)
{
	return code[0] == 0x0f && code[1] == 0x05 && code[2] == 0xc3;
}

/* From the start of that code to what the kernel reports as its program counter. */
#define ARCH_REMOTE_SYSCALL_INSTRUCTION 2

static inline uintptr_t arch_remote_pc(const struct user_regs_struct *registers)
{
	return registers->rip;
}

static inline uintptr_t arch_remote_sp(const struct user_regs_struct *registers)
{
	return registers->rsp;
}

static inline uintptr_t arch_remote_thread(const struct arch_remote *state)
{
	return state->registers.fs_base;
}

/* Returns whether the thread is in a state from which it can call functions. */
static inline bool arch_remote_can_call(const struct arch_remote *state)
{
	return state->registers.cs == 0x33; /* code of 64 bits */
}

/* Stores the registers by their DWARF numbers. */
static inline void arch_remote_unwind(uintptr_t to[], const struct user_regs_struct *from)
{
	const unsigned long long values[ARCH_FRAME_REGISTERS] = {
		from->rax, from->rdx, from->rcx, from->rbx, from->rsi, from->rdi,
		from->rbp, from->rsp, from->r8,  from->r9,  from->r10, from->r11,
		from->r12, from->r13, from->r14, from->r15, from->rip,
	};

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		to[i] = values[i];
}

/* Return addresses are on the stack, and in no register. */
#define ARCH_REMOTE_LINKS 0

static inline void arch_remote_set_links(struct user_regs_struct *registers, const uintptr_t from[])
{
	(void)registers;
	(void)from;
}

/* ---- system calls ---- */

/* A call that the kernel will restart is shown as it was left, so these are not needed. */
static inline bool arch_remote_is_at_call(const struct arch_remote *state)
{
	(void)state;
	return false;
}

static inline void arch_remote_go_on_by(struct arch_remote *state, long number)
{
	(void)state;
	(void)number;
}

static inline int arch_remote_set_call(pid_t tid, int number)
{
	(void)tid;
	(void)number;
	return -ENOSYS;
}

/* Returns whether the thread, interrupted in a call, will make it again. */
static inline bool arch_remote_restarts(const struct user_regs_struct *registers, uintptr_t end)
{
	const long least = -516, most = -512; /* ERESTART_RESTARTBLOCK to ERESTARTSYS */
	long result = (long)registers->rax;

	(void)end;
	return (long)registers->orig_rax >= 0 && result >= least && result <= most &&
	       result != -515;
}

/* Returns the number of the system call that the thread was in; -1: none. */
static inline long arch_remote_in_call(const struct arch_remote *state)
{
	return (long)state->registers.orig_rax;
}

/* Returns whether the thread was in a system call that has failed with EINTR. */
static inline bool arch_remote_was_interrupted(const struct arch_remote *state)
{
	return (long)state->registers.rax == -EINTR && arch_remote_in_call(state) >= 0;
}

/* All arguments are still in their registers. */
#define ARCH_REMOTE_LOSES_ARGUMENT 0

/* Makes the thread execute its system call again, from the start. */
static inline void arch_remote_repeat(struct user_regs_struct *registers, uintptr_t argument)
{
	(void)argument;
	registers->rax = registers->orig_rax;
	registers->rip -= ARCH_REMOTE_SYSCALL_INSTRUCTION;
	registers->orig_rax = (unsigned long long)-1;
}

/* ---- calls ---- */

/* Changes the registers to those at the entry of a function that returns to the frame at sp. */
static inline void arch_remote_call(struct user_regs_struct *registers, uintptr_t function,
				    const uintptr_t arguments[4], uintptr_t sp, uintptr_t sigreturn)
{
	(void)sigreturn;
	registers->rip = function;
	registers->rsp = sp;
	registers->rdi = arguments[0];
	registers->rsi = arguments[1];
	registers->rdx = arguments[2];
	registers->rcx = arguments[3];
	registers->rax = 0;
	registers->rbp = 0;
	registers->orig_rax = (unsigned long long)-1;
	registers->eflags &= ~UINT64_C(0x50500); /* no direction, no traps, no alignment check */
}

static inline void arch_remote_syscall(struct user_regs_struct *registers, uintptr_t code, long nr,
				       const uintptr_t arguments[6], uintptr_t sp,
				       uintptr_t sigreturn)
{
	arch_remote_call(registers, code, arguments, sp, sigreturn);
	registers->rax = (unsigned long long)nr;
	registers->r10 = arguments[3];
	registers->r8 = arguments[4];
	registers->r9 = arguments[5];
}

/* ---- the frame ---- */

static inline void arch_remote_context(ucontext_t *context, const struct arch_remote *before)
{
	static const uint8_t offsets[][2] = {
		{ REG_R8, offsetof(struct user_regs_struct, r8) / 8 },
		{ REG_R9, offsetof(struct user_regs_struct, r9) / 8 },
		{ REG_R10, offsetof(struct user_regs_struct, r10) / 8 },
		{ REG_R11, offsetof(struct user_regs_struct, r11) / 8 },
		{ REG_R12, offsetof(struct user_regs_struct, r12) / 8 },
		{ REG_R13, offsetof(struct user_regs_struct, r13) / 8 },
		{ REG_R14, offsetof(struct user_regs_struct, r14) / 8 },
		{ REG_R15, offsetof(struct user_regs_struct, r15) / 8 },
		{ REG_RDI, offsetof(struct user_regs_struct, rdi) / 8 },
		{ REG_RSI, offsetof(struct user_regs_struct, rsi) / 8 },
		{ REG_RBP, offsetof(struct user_regs_struct, rbp) / 8 },
		{ REG_RBX, offsetof(struct user_regs_struct, rbx) / 8 },
		{ REG_RDX, offsetof(struct user_regs_struct, rdx) / 8 },
		{ REG_RAX, offsetof(struct user_regs_struct, rax) / 8 },
		{ REG_RCX, offsetof(struct user_regs_struct, rcx) / 8 },
		{ REG_RSP, offsetof(struct user_regs_struct, rsp) / 8 },
		{ REG_RIP, offsetof(struct user_regs_struct, rip) / 8 },
		{ REG_EFL, offsetof(struct user_regs_struct, eflags) / 8 },
	};
	struct user_regs_struct registers = before->registers;
	const unsigned long long *words = (const unsigned long long *)&registers;

	/* rt_sigreturn() restarts nothing, so the system call is made again. */
	if (arch_remote_restarts(&registers, 0))
		arch_remote_repeat(&registers, 0);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
		context->uc_mcontext.gregs[offsets[i][0]] = (greg_t)words[offsets[i][1]];
	context->uc_mcontext.gregs[REG_CSGSFS] = (greg_t)(registers.cs | registers.gs << 16 |
							  registers.fs << 32 | registers.ss << 48);
}

/* The signal frame: the address of code that calls rt_sigreturn(), the context, the state of
 * vectors, which is aligned to 64 bytes. */
#define ARCH_REMOTE_FRAME_ALIGNMENT 64
#define ARCH_REMOTE_FRAME_POPPED    8 /* bytes of it that a return takes off the stack */
#define ARCH_REMOTE_XSTATE_AT       (((sizeof(ucontext_t) + 63) / 64) * 64 + 8)
#define ARCH_REMOTE_FRAME_MAX       (ARCH_REMOTE_XSTATE_AT + ARCH_REMOTE_XSTATE_MAX)

/* Writes the frame that will be at `address`. Returns its size in bytes. */
static inline size_t arch_remote_frame(unsigned char bytes[ARCH_REMOTE_FRAME_MAX],
				       const struct arch_remote *state, uintptr_t address,
				       uintptr_t sigreturn)
{
	unsigned char *xstate = bytes + ARCH_REMOTE_XSTATE_AT;
	struct _fpx_sw_bytes *software = (struct _fpx_sw_bytes *)(xstate + ARCH_REMOTE_SOFTWARE_AT);
	const uint32_t end = FP_XSTATE_MAGIC2;
	ucontext_t context = { 0 };

	arch_remote_context(&context, state);
	context.uc_flags = 7; /* it has xstate, and a stack segment to be restored */
	/* Invalid, so that the alternate stack stays as it is. */
	context.uc_stack.ss_flags = 0x7f;
	context.uc_mcontext.fpregs = (fpregset_t)(address + ARCH_REMOTE_XSTATE_AT);
	memcpy(&context.uc_sigmask, &state->mask, sizeof(state->mask));
	memcpy(bytes, &sigreturn, sizeof(sigreturn));
	memcpy(bytes + sizeof(sigreturn), &context, sizeof(context));
	memcpy(xstate, state->xstate, state->xstate_bytes);
	/* The kernel has left the components in the first word of what is software's. */
	memcpy(&software->xstate_bv, state->xstate + ARCH_REMOTE_SOFTWARE_AT,
	       sizeof(software->xstate_bv));
	software->magic1 = FP_XSTATE_MAGIC1;
	software->extended_size = (uint32_t)(state->xstate_bytes + FP_XSTATE_MAGIC2_SIZE);
	software->xstate_size = (uint32_t)state->xstate_bytes;
	memcpy(xstate + state->xstate_bytes, &end, sizeof(end));
	return ARCH_REMOTE_XSTATE_AT + state->xstate_bytes + sizeof(end);
}

#endif
