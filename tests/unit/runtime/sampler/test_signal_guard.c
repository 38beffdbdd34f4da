/* SPDX-License-Identifier: MIT
 *
 * test_signal_guard.c - masks and handlers that the program sets while ticks stay unblocked.
 */
#include <unistd.h>

#include "runtime/sampler/signal_guard.c"

#include "tap.h"

#define TICKS SIGRTMIN

/* ---- fakes ---- */

static struct {
	sys_sigset ticks, withheld;
	int unmuted, given_back, locked;
	int claimed; /* 0: none */
	struct sys_sigaction action;
} fake;

sys_sigset lock_take(void)
{
	fake.locked++;
	return 0;
}

void lock_release(sys_sigset mask)
{
	(void)mask;
	fake.locked--;
}

sys_sigset signals_of_ticks(void)
{
	return fake.ticks;
}

sys_sigset faults_signal(void)
{
	return 0;
}

bool faults_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old)
{
	(void)sig;
	(void)new;
	(void)old;
	return false;
}

sys_sigset signals_withheld(void)
{
	return fake.withheld;
}

void altstack_guard_split(void)
{
}

void signals_withhold(sys_sigset set)
{
	fake.withheld = set;
}

void roster_unmute(void)
{
	fake.unmuted++;
}

void sampler_give_back(int sig)
{
	fake.given_back = sig;
}

bool signals_claimed(int sig)
{
	return fake.claimed == sig;
}

bool signals_program_action(int sig, const struct sys_sigaction *new, struct sys_sigaction *old)
{
	if (fake.claimed != sig || fake.locked != 1)
		return false;
	*old = fake.action;
	if (new)
		fake.action = *new;
	return true;
}

/* ---- masks ---- */

static sigset_t set_of(int one, int other)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, one);
	if (other)
		sigaddset(&set, other);
	return set;
}

/* Returns whether the kernel blocks a signal. */
static bool is_blocked(int sig)
{
	sys_sigset mask;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask & SYS_SIGBIT(sig);
}

static bool is_shown(int (*change)(int, const sigset_t *, sigset_t *), int sig)
{
	sigset_t old;

	return change(SIG_BLOCK, NULL, &old) == 0 && sigismember(&old, sig);
}

static void without_a_clock(void)
{
	sigset_t both = set_of(TICKS, SIGUSR1), old;

	sigemptyset(&old);
	ok(sigprocmask(SIG_BLOCK, &both, &old) == 0 && !sigismember(&old, TICKS) &&
		   is_blocked(TICKS) && is_blocked(SIGUSR1) && !fake.withheld,
	   "without a clock, masks are unchanged");
	sigprocmask(SIG_UNBLOCK, &both, NULL);
}

static void check_masks(int (*change)(int, const sigset_t *, sigset_t *), const char *name)
{
	sigset_t both = set_of(TICKS, SIGUSR1), one = set_of(SIGUSR1, 0), old, none;

	sigemptyset(&none);
	fake.withheld = 0;
	ok(change(SIG_BLOCK, &both, &old) == 0 && !sigismember(&old, TICKS) &&
		   !sigismember(&old, SIGUSR1),
	   "%s: the old mask has neither", name);
	ok(is_blocked(SIGUSR1) && !is_blocked(TICKS) && fake.withheld == SYS_SIGBIT(TICKS),
	   "%s: ticks are not blocked, but withheld", name);
	ok(is_shown(change, TICKS) && is_shown(change, SIGUSR1),
	   "%s: the mask is shown as the program has set it", name);
	ok(change(SIG_BLOCK, &one, &old) == 0 && sigismember(&old, TICKS) &&
		   fake.withheld == SYS_SIGBIT(TICKS),
	   "%s: another signal that is blocked changes nothing of that", name);
	ok(change(SIG_UNBLOCK, &one, &old) == 0 && sigismember(&old, TICKS) &&
		   is_shown(change, TICKS) && !is_shown(change, SIGUSR1),
	   "%s: nor one that is unblocked", name);
	ok(change(SIG_UNBLOCK, &both, &old) == 0 && sigismember(&old, TICKS) && !fake.withheld &&
		   !is_shown(change, TICKS),
	   "%s: until it is unblocked itself", name);
	change(SIG_SETMASK, &both, NULL);
	ok(change(SIG_SETMASK, &none, &old) == 0 && sigismember(&old, TICKS) &&
		   sigismember(&old, SIGUSR1) && !fake.withheld && !is_blocked(SIGUSR1),
	   "%s: or a new mask is set", name);
	fake.unmuted = 0;
	change(SIG_SETMASK, &none, NULL);
	ok(fake.unmuted == 1, "%s: then a thread that was mute may tick again", name);
	ok(change(77, &both, &old) != 0 && !fake.withheld && fake.unmuted == 1,
	   "%s: a change that fails changes nothing", name);
}

/* ---- handlers ---- */

static void program_handler(int sig)
{
	(void)sig;
}

static void handlers(void)
{
	struct sigaction new = { .sa_handler = program_handler, .sa_flags = SA_NODEFER }, old;

	sigaddset(&new.sa_mask, SIGUSR2);
	fake.claimed = SIGPROF;
	ok(sigaction(SIGPROF, &new, &old) == 0 && old.sa_handler == SIG_DFL &&
		   fake.action.handler == program_handler &&
		   fake.action.mask == SYS_SIGBIT(SIGUSR2) && fake.given_back == SIGPROF,
	   "a handler for a signal of ours is remembered, and the signal given back");
	fake.given_back = 0;
	ok(sigaction(SIGPROF, NULL, &old) == 0 && old.sa_handler == program_handler &&
		   old.sa_flags == (int)(SA_NODEFER | ARCH_LIBC_SA_FLAGS) &&
		   sigismember(&old.sa_mask, SIGUSR2) && !fake.given_back,
	   "and shown, which gives nothing back");
	ok(signal(SIGPROF, SIG_IGN) == program_handler && fake.action.handler == SIG_IGN,
	   "also by signal()");
	ok(sigaction(SIGUSR1, &new, NULL) == 0 && sigaction(SIGUSR1, NULL, &old) == 0 &&
		   old.sa_handler == program_handler && fake.action.handler == SIG_IGN,
	   "that of another signal is libc's");
	ok(old.sa_flags == (int)(SA_NODEFER | ARCH_LIBC_SA_FLAGS),
	   "which shows the same flags: %#x", (unsigned int)old.sa_flags);
	fake.claimed = 0;
}

static void stand_in_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

static void other_handler(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	(void)context;
}

static void handlers_stood_in(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL }, old;
	struct sys_sigaction kernel;

	signal_guard_stand_in(stand_in_handler, SA_SIGINFO, SYS_SIGBIT(SIGTERM));
	ok(sigaction(SIGTERM, &dfl, NULL) == 0 && sys_sigaction(SIGTERM, NULL, &kernel) == 0 &&
		   kernel.sigaction == stand_in_handler,
	   "where a handler stands in for the default, it is set instead");
	ok(sigaction(SIGTERM, NULL, &old) == 0 && old.sa_handler == SIG_DFL,
	   "and the program sees the default");
	ok(signal(SIGTERM, SIG_IGN) == SIG_DFL && signal(SIGTERM, SIG_DFL) == SIG_IGN,
	   "other handlers are as usual");
	ok(sigaction(SIGHUP, &dfl, NULL) == 0 && sys_sigaction(SIGHUP, NULL, &kernel) == 0 &&
		   kernel.handler == SIG_DFL,
	   "it stands in for no other signal");
	signal_guard_stand_in(other_handler, SA_SIGINFO, SYS_SIGBIT(SIGTERM) | SYS_SIGBIT(SIGSEGV));
	ok(sigaction(SIGSEGV, &dfl, NULL) == 0 && sys_sigaction(SIGSEGV, NULL, &kernel) == 0 &&
		   kernel.sigaction == other_handler && kernel.mask & SYS_SIGBIT(SIGALRM) &&
		   sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == SIG_DFL,
	   "another one stands in for another signal, and blocks all while it runs");
	ok(sigaction(SIGTERM, &dfl, NULL) == 0 && sys_sigaction(SIGTERM, NULL, &kernel) == 0 &&
		   kernel.sigaction == stand_in_handler,
	   "but not where the first does");
}

/* A handler on an alternate stack that is tight is not interrupted, whatever the default is. */
static void spared_stand_ins(void)
{
	struct sigaction new = { .sa_handler = program_handler, .sa_flags = SA_ONSTACK }, old;
	struct sys_sigaction kernel;

	signal_guard_spare_handlers();
	ok(sigaction(SIGSEGV, &new, NULL) == 0 && sys_sigaction(SIGSEGV, NULL, &kernel) == 0 &&
		   kernel.mask & SYS_SIGBIT(TICKS),
	   "ticks are blocked in a handler that is in the place of a stand-in");
	ok(sigaction(SIGSEGV, NULL, &old) == 0 && old.sa_handler == program_handler &&
		   !sigismember(&old.sa_mask, TICKS),
	   "which the program does not see");
}

int main(void)
{
	without_a_clock();
	fake.ticks = SYS_SIGBIT(TICKS);
	check_masks(sigprocmask, "sigprocmask()");
	check_masks(pthread_sigmask, "pthread_sigmask()");
	handlers();
	handlers_stood_in();
	spared_stand_ins();
	return tap_done();
}
