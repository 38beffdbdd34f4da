/* SPDX-License-Identifier: MIT */
#include "faults.h"

#include "kernel_action.h"
#include "signals.h"

static struct {
	faults_mend *mend; /* NULL: SIGBUS is not claimed */
	/* The program's action: a new one is written beside the one in force. */
	struct sys_sigaction program[2];
	unsigned current;
	/* The mask while we work, as the kernel keeps it: an emulator keeps some unblocked. */
	sys_sigset at_work;
} faults;

static const struct sys_sigaction *program_action(void)
{
	return &faults.program[__atomic_load_n(&faults.current, __ATOMIC_ACQUIRE)];
}

static void set_program_action(const struct sys_sigaction *action)
{
	unsigned other = !faults.current;

	faults.program[other] = *action;
	__atomic_store_n(&faults.current, other, __ATOMIC_RELEASE);
}

sys_sigset faults_signal(void)
{
	return faults.mend ? SYS_SIGBIT(SIGBUS) : 0;
}

sys_sigset faults_to_block(void)
{
	return ~faults_signal();
}

/* ---- the handler ---- */

/* Returns whether an access to memory raised it, which the thread would only repeat. */
static bool is_fault(const siginfo_t *info)
{
	return info->si_code == BUS_ADRALN || info->si_code == BUS_ADRERR ||
	       info->si_code == BUS_OBJERR || info->si_code == BUS_MCEERR_AR;
}

/* Returns whether it can be repaired: an unaligned access faults on any memory. */
static bool lost_memory(const siginfo_t *info)
{
	return is_fault(info) && info->si_code != BUS_ADRALN;
}

/*
 * Handles a signal that was sent, by kill() or the like: makes it pending and blocked from when we
 * return.
 */
static void put_off(siginfo_t *info, ucontext_t *uc, sys_sigset mask)
{
	signals_set_mask_of(uc, mask);
	signals_send_again(SIGBUS, info);
}

/*
 * Returns whether we were at work, with all other signals blocked. No program has that mask, since
 * it contains the ticks' signals.
 */
static bool were_at_work(const ucontext_t *uc)
{
	return signals_mask_of(uc) == faults.at_work;
}

static void call_program(struct sys_sigaction action, siginfo_t *info, ucontext_t *uc)
{
	if (action.flags & SA_RESETHAND)
		set_program_action(&(struct sys_sigaction){ .handler = SIG_DFL });
	call_as_kernel(SIGBUS, &action, info, uc);
}

/* Ends the program by the signal: a fault is raised again where it was. */
static void end_program(siginfo_t *info, ucontext_t *uc)
{
	struct sys_sigaction dfl = { .handler = SIG_DFL };
	sys_sigset mask = signals_mask_of(uc) & ~SYS_SIGBIT(SIGBUS);

	sys_sigaction(SIGBUS, &dfl, NULL);
	if (!is_fault(info))
		put_off(info, uc, mask);
}

static void pass_on(siginfo_t *info, ucontext_t *uc)
{
	struct sys_sigaction action = *program_action();
	bool is_withheld = signals_withheld() & SYS_SIGBIT(SIGBUS);

	if (!is_fault(info) && were_at_work(uc)) {
		put_off(info, uc, ~(sys_sigset)0);
	} else if (!is_fault(info) && is_withheld) {
		signals_withhold(signals_withheld() & ~SYS_SIGBIT(SIGBUS));
		put_off(info, uc, signals_mask_of(uc) | SYS_SIGBIT(SIGBUS));
	} else if (!is_fault(info) && action.handler == SIG_IGN) {
		return;
	} else if (action.handler == SIG_DFL || action.handler == SIG_IGN || is_withheld) {
		/* The kernel ends a program that blocks or ignores a fault. */
		end_program(info, uc);
	} else {
		call_program(action, info, uc);
	}
}

static void on_bus(int sig, siginfo_t *info, void *uc)
{
	const sys_sigset all = ~(sys_sigset)0;

	(void)sig;
	if (lost_memory(info) && faults.mend(info, uc))
		return;
	sys_sigprocmask(SIG_SETMASK, &all, NULL);
	pass_on(info, uc);
}

/* ---- dispatch ---- */

/*
 * Installs the handler. A fault may be followed by another one while it is repaired. It runs on the
 * stack that the program chose: a handler of its own may need the alternate one.
 */
static int install(void)
{
	struct sys_sigaction ours = {
		.sigaction = on_bus,
		.flags = SA_SIGINFO | SA_RESTART | SA_NODEFER | ARCH_SA_RESTORER |
			 (program_action()->flags & SA_ONSTACK),
		.restorer = arch_sigreturn,
		.mask = faults_to_block(),
	};

	return sys_sigaction(SIGBUS, &ours, NULL);
}

static void find_mask(void)
{
	const sys_sigset block = faults_to_block();
	sys_sigset before;

	sys_sigprocmask(SIG_SETMASK, &block, &before);
	sys_sigprocmask(SIG_SETMASK, &before, &faults.at_work);
}

int faults_claim(faults_mend *mend)
{
	int err = sys_sigaction(SIGBUS, NULL, &faults.program[0]);

	if (err)
		return err;
	faults.mend = mend;
	find_mask();
	err = install();
	if (err)
		faults.mend = NULL;
	return err;
}

bool faults_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old)
{
	if (sig != SIGBUS || !faults.mend)
		return false;
	*old = *program_action();
	if (new) {
		set_program_action(new);
		install();
	}
	return true;
}

sys_sigset faults_listen(const ucontext_t *uc)
{
	sys_sigset blocked = signals_mask_of(uc) & faults_signal();

	if (blocked)
		sys_sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	return blocked;
}

void faults_keep_frame(const ucontext_t *uc)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	if (faults.mend && program_action()->flags & SA_ONSTACK &&
	    !(uc->uc_stack.ss_flags & SS_DISABLE))
		sys_sigaltstack(&none, NULL);
}
