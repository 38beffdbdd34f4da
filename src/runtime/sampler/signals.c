/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include <errno.h>
#include <stddef.h>

#include "faults.h"
#include "handler_stacks.h"
#include "handler_tls.h"
#include "kernel_action.h"
#include "roster.h"
#include "sampler.h"
#include "thread.h"
#include "tick_path.h"

/*
 * The first candidate for the private signal: in the middle of the real-time signals, since
 * programs that use some count from SIGRTMIN up or from SIGRTMAX down.
 */
#define FIRST_PRIVATE 49
#define LAST_SIGNAL   64

/*
 * Bytes that a signal frame may have below siginfo and ucontext: a return address and three
 * arguments.
 */
#define FRAME_HEAD 16

struct claim {
	int sig;                      /* 0: free */
	struct sys_sigaction program; /* the program's action */
};

static struct {
	struct claim claims[3]; /* SIGTRAP, SIGPROF, the private one: no clock needs more */
	int private;            /* 0: not chosen yet */
	uintptr_t frame_low;    /* of the signal frame that was measured */
	size_t frame_bytes;     /* 0: not known */
} signals;

/*
 * Signals in the program's mask that are not really blocked. A thread that libc did not create has
 * none.
 */
static _Thread_local sys_sigset withheld TLS_FOR_HANDLERS;

static struct claim *claim_of(int sig)
{
	for (size_t i = 0; i < sizeof(signals.claims) / sizeof(signals.claims[0]); i++)
		if (signals.claims[i].sig == sig)
			return &signals.claims[i];
	return NULL;
}

/*
 * Returns whether it is a late tick of a stopped clock: ignored, or the default action would kill
 * the program.
 */
static bool is_left_over(int sig, int code)
{
	return code == SI_TIMER || (sig == SIGPROF && code == SI_KERNEL) ||
	       (sig == SIGTRAP && code == TRAP_PERF);
}

/*
 * Takes the kernel's default action for a signal that is not a tick, and that the program does not
 * handle.
 */
static void default_action(int sig, siginfo_t *info)
{
	struct sys_sigaction dfl = { .handler = SIG_DFL };
	sys_sigset set = SYS_SIGBIT(sig);

	if (is_left_over(sig, info->si_code))
		return;
	sys_sigaction(sig, &dfl, NULL);
	sys_rt_tgsigqueueinfo(sys_getpid(), sys_gettid(), sig, info);
	sys_sigprocmask(SIG_UNBLOCK, &set, NULL); /* all three kinds end the process here */
}

/* Only the first thread may repeat a kill() in the sender's name. Any other thread sends the signal
 * in our own: a signal must not get lost. */
void signals_send_again(int sig, siginfo_t *info)
{
	if (info->si_code == SI_TKILL)
		sys_rt_tgsigqueueinfo(sys_getpid(), sys_gettid(), sig, info);
	else if (sys_rt_sigqueueinfo(sys_getpid(), sig, info))
		sys_kill(sys_getpid(), sig);
}

/* Takes away the ticks among the pending signals of the set, all of which are blocked. Signals that
 * are pending behind one of the program's stay. */
static void drop_ticks(sys_sigset set)
{
	siginfo_t pending;

	for (int sig; (sig = sys_sigpoll(&set, &pending)) > 0;)
		if (!sampler_owns(&pending)) {
			signals_send_again(sig, &pending);
			set &= ~SYS_SIGBIT(sig);
		}
}

void signals_drop_ticks(void)
{
	drop_ticks(signals_of_ticks());
}

/*
 * Handles a signal that the program has blocked: blocks it from now on, and makes this one pending.
 * The thread's clock stops first, or the program would receive its ticks in place of the signals
 * that it waits for.
 */
static void hold(int sig, siginfo_t *info, ucontext_t *uc)
{
	sys_sigset set = SYS_SIGBIT(sig);

	roster_mute();
	drop_ticks(set);
	signals_set_mask_of(uc, signals_mask_of(uc) | set);
	signals_withhold(signals_withheld() & ~set);
	signals_send_again(sig, info);
}

void signals_pass_on(int sig, siginfo_t *info, void *uc)
{
	struct claim *claim = claim_of(sig);
	struct sys_sigaction action;

	if (!claim || sampler_owns(info))
		return;
	action = claim->program;
	if (action.handler == SIG_IGN)
		return;
	if (action.handler == SIG_DFL) {
		default_action(sig, info);
		return;
	}
	if (action.flags & SA_RESETHAND)
		claim->program = (struct sys_sigaction){ .handler = SIG_DFL };
	call_as_kernel(sig, &action, info, uc); /* our own mask blocks all */
}

/* ---- the size of a signal frame ---- */

static void measured(const siginfo_t *info, const ucontext_t *uc)
{
	uintptr_t a = (uintptr_t)info, b = (uintptr_t)uc;

	signals.frame_low = a < b ? a : b;
}

static bool is_measuring(const siginfo_t *info)
{
	return info->si_code == SI_QUEUE && info->si_value.sival_ptr == &signals;
}

/*
 * Measures the signal frame. AT_MINSIGSTKSZ is an upper limit: it counts registers that the kernel
 * saves only for programs that have requested them, and for those it ensures that stacks are large
 * enough.
 */
static void measure_frame(int sig)
{
	siginfo_t info = { .si_signo = sig, .si_code = SI_QUEUE };
	sys_sigset mask, set = SYS_SIGBIT(sig);
	stack_t stack = { 0 }, before;

	stack.ss_sp = handler_stacks_borrow(&stack.ss_size);
	info.si_pid = sys_getpid();
	info.si_value.sival_ptr = &signals;
	if (!stack.ss_sp)
		return;
	if (sys_sigaltstack(&stack, &before) == 0) {
		sys_rt_tgsigqueueinfo(sys_getpid(), sys_gettid(), sig, &info);
		sys_sigprocmask(SIG_UNBLOCK, &set, &mask);
		sys_sigprocmask(SIG_SETMASK, &mask, NULL);
		sys_sigaltstack(&before, NULL);
	}
	handler_stacks_return();
	if (signals.frame_low)
		signals.frame_bytes =
			(uintptr_t)stack.ss_sp + stack.ss_size - signals.frame_low + FRAME_HEAD;
}

size_t signals_frame_bytes(void)
{
	return signals.frame_bytes;
}

/* ---- the handler ---- */

TICK_PATH bool signals_tick(int sig, siginfo_t *info, void *uc)
{
	sys_sigset blocked;

	faults_keep_frame(uc);
	blocked = faults_listen(uc);
	if (sampler_signal(info, uc))
		return true;
	if (is_measuring(info)) {
		measured(info, uc);
		return true;
	}
	if (!(signals_withheld() & SYS_SIGBIT(sig))) {
		if (blocked)
			sys_sigprocmask(SIG_BLOCK, &blocked, NULL);
		return false;
	}
	hold(sig, info, uc);
	return true;
}

static int install(int sig)
{
	struct sys_sigaction ours = {
		.sigaction = arch_handler,
		.flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK | ARCH_SA_RESTORER,
		.restorer = arch_sigreturn,
		.mask = faults_to_block(),
	};

	return sys_sigaction(sig, &ours, NULL);
}

int signals_claim(int sig)
{
	struct claim *claim = claim_of(sig);
	int err;

	if (claim)
		return 0;
	claim = claim_of(0);
	if (!claim)
		return -EBUSY;
	err = handler_stacks_init();
	if (err)
		return err;
	err = sys_sigaction(sig, NULL, &claim->program);
	if (err)
		return err;
	claim->sig = sig;
	err = install(sig);
	if (err)
		claim->sig = 0;
	return err;
}

void signals_reclaim(void)
{
	handler_stacks_forget();
	for (size_t i = 0; i < sizeof(signals.claims) / sizeof(signals.claims[0]); i++)
		if (signals.claims[i].sig)
			install(signals.claims[i].sig);
}

bool signals_claimed(int sig)
{
	return sig > 0 && claim_of(sig) != NULL;
}

bool signals_program_handles(int sig)
{
	struct claim *claim = claim_of(sig);
	struct sys_sigaction action = { 0 };

	if (claim)
		action = claim->program;
	else
		sys_sigaction(sig, NULL, &action);
	return action.handler != SIG_DFL;
}

int signals_claim_private(void)
{
	int span = LAST_SIGNAL - SIGRTMIN + 1;
	int err;

	if (signals.private)
		return signals.private;
	for (int i = 0; i < span; i++) {
		int sig = SIGRTMIN + (FIRST_PRIVATE - SIGRTMIN + i) % span;

		if (signals_program_handles(sig))
			continue;
		err = signals_claim(sig);
		if (err)
			return err;
		signals.private = sig;
		measure_frame(sig);
		return sig;
	}
	return -EBUSY;
}

bool signals_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old)
{
	struct claim *claim = claim_of(sig);

	if (!claim)
		return false;
	*old = claim->program;
	if (new)
		claim->program = *new;
	return true;
}

sys_sigset signals_of_ticks(void)
{
	sys_sigset set = 0;

	for (size_t i = 0; i < sizeof(signals.claims) / sizeof(signals.claims[0]); i++)
		if (signals.claims[i].sig)
			set |= SYS_SIGBIT(signals.claims[i].sig);
	return set;
}

sys_sigset signals_withheld(void)
{
	/* Atomic, so that the compiler does not read it before checking that it exists. */
	return arch_has_thread_locals() ? __atomic_load_n(&withheld, __ATOMIC_RELAXED) : 0;
}

void signals_withhold(sys_sigset set)
{
	if (arch_has_thread_locals())
		withheld = set;
}
