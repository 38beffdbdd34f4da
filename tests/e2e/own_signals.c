/* SPDX-License-Identifier: MIT
 *
 * The program's own signals and timers belong to the program: SIGPROF and ITIMER_PROF above all,
 * but also the signals that the clocks tick with.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

static volatile sig_atomic_t prof_signals, trap_signals, rt_signals;
static volatile int rt_value;

static void on_prof(int sig)
{
	(void)sig;
	prof_signals++;
}

static void on_trap(int sig)
{
	(void)sig;
	trap_signals++;
}

static void on_rt(int sig, siginfo_t *info, void *uc)
{
	(void)sig;
	(void)uc;
	rt_signals++;
	rt_value = info->si_value.sival_int;
}

static bool timer_is(long usec)
{
	struct itimerval now;

	getitimer(ITIMER_PROF, &now);
	return now.it_interval.tv_sec == 0 && now.it_interval.tv_usec == usec;
}

#define HZ 200

static bool profil_first;

/* Checks for about 50 signals, as many as are due by the clock of ITIMER_PROF itself: one may be
 * half done at each end. */
static bool own_timer(void)
{
	const char *order = profil_first ? "profil() first" : "program first";
	struct sigaction act = { .sa_handler = on_prof }, old;
	struct itimerval every = { { 0, 10000 }, { 0, 10000 } }, never = { 0 };
	unsigned long ours;
	int theirs;
	double cpu, due;

	if (profil_first)
		count_everything();
	sigaction(SIGPROF, &act, NULL);
	setitimer(ITIMER_PROF, &every, NULL);
	if (!profil_first)
		count_everything();
	prof_signals = 0;
	everything[0] = 0;
	due = charged_cpu();
	cpu = process_cpu();
	burn(0.5);
	cpu = process_cpu() - cpu;
	theirs = prof_signals;
	due = (charged_cpu() - due) * 100;
	ok(timer_is(10000), "%s: its ITIMER_PROF is as it was set", order);
	sigaction(SIGPROF, NULL, &old);
	ok(old.sa_handler == on_prof, "%s: its SIGPROF handler is as it was set", order);
	/* Up to four ticks a clock may leave for its next one: by the end they are counted. */
	count_nothing();
	ours = everything[0];
	ok(near((double)ours, cpu * HZ, 0.04), "%s: profil() counted meanwhile: %lu of %.0f", order,
	   ours, cpu * HZ);
	burn(0.05);
	ok(timer_is(10000) && prof_signals > theirs, "%s: and goes on after profil() is off",
	   order);
	setitimer(ITIMER_PROF, &never, NULL);
	signal(SIGPROF, SIG_DFL);
	note("%s: its handler was called %d times of %.1f", order, theirs, due);
	return theirs >= due - 2 && theirs <= due + 2;
}

static void own_trap(void)
{
	struct sigaction act = { .sa_handler = on_trap }, old;

	count_everything();
	ok(sigaction(SIGTRAP, &act, &old) == 0 && old.sa_handler == SIG_DFL,
	   "SIGTRAP looks untouched to the program");
	burn(0.1);
	ok(trap_signals == 0, "its handler is not called for ticks");
	raise(SIGTRAP);
	ok(trap_signals == 1, "but for its own SIGTRAP");
	ok(signal(SIGTRAP, SIG_IGN) == on_trap, "signal() tells the handler before");
	raise(SIGTRAP);
	ok(trap_signals == 1, "an ignored one is ignored");
	ok(everything[0] >= 15, "ticks are counted all the while: %u", everything[0]);
	count_nothing();
	signal(SIGTRAP, SIG_DFL);
}

/* Checks a program that uses the same real-time signal as the clock. */
static void own_realtime(void)
{
	union sigval value = { .sival_int = 42 };
	int called = 0, expected = 0;

	count_everything();
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
		struct sigaction act = { .sa_sigaction = on_rt, .sa_flags = SA_SIGINFO };

		sigaction(sig, &act, NULL);
	}
	rt_signals = 0;
	burn(0.1);
	ok(rt_signals == 0, "no handler of a real-time signal is called for ticks");
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
		expected++;
		rt_value = 0;
		sigqueue(getpid(), sig, value);
		called += rt_value == 42;
	}
	if (is_emulated())
		skip("each is called for its own signal",
		     "the emulator keeps two of the real-time signals");
	else
		ok(called == expected, "each is called for its own signal: %d of %d", called,
		   expected);
	ok(everything[0] >= 15, "ticks are counted all the while: %u", everything[0]);
	count_nothing();
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL);
}

static void blocked(void)
{
	sigset_t all, before, now;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	count_everything();
	burn(0.15);
	ok(everything[0] >= 25, "a thread that blocks all signals is sampled: %u of 30",
	   everything[0]);
	count_nothing();
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	ok(memcmp(&before, &now, sizeof(unsigned long)) == 0, "and gets its mask back");
}

/* Checks that a program that blocks a signal and waits for it gets it, even if a clock ticks with
 * the same signal. */
static void waits_for(int sig, const char *when)
{
	sigset_t set, before;
	siginfo_t info = { 0 };
	struct timespec limit = { 5, 0 };

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, &before);
	raise(sig);
	burn(0.025);
	ok(sigtimedwait(&set, &info, &limit) == sig, "%s: sigtimedwait() gets signal %d", when,
	   sig);
	kill(getpid(), sig);
	burn(0.025);
	ok(sigtimedwait(&set, &info, &limit) == sig && info.si_pid == getpid(),
	   "%s: also one sent to the process", when);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

static void waits_for_each(const char *when)
{
	int private = 0;

	/* The one the clock ticks with is the only real-time signal that has a handler. */
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++) {
		unsigned long kernel_action[4] = { 0 };

		syscall(SYS_rt_sigaction, sig, NULL, kernel_action, 8);
		if (kernel_action[0])
		private = sig;
	}
	waits_for(SIGTRAP, when);
	waits_for(private ? private : SIGRTMIN + 15, when);
}

static void waits(void)
{
	waits_for_each("off");
	count_everything();
	waits_for_each("on");
	everything[0] = 0;
	burn(0.1);
	ok(everything[0] >= 15, "and afterwards ticks come again: %u of 20", everything[0]);
	count_nothing();
}

int main(void)
{
	setenv("PROFIL_HZ", "200", 1);
	profil_first = true;
	ok_in_three(own_timer,
		    "profil() first: the program's SIGPROF handler is called at its own rate");
	profil_first = false;
	ok_in_three(own_timer,
		    "program first: the program's SIGPROF handler is called at its own rate");
	own_trap();
	own_realtime();
	blocked();
	waits();
	return tap_done();
}
