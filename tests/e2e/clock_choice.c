/* SPDX-License-Identifier: MIT
 *
 * Which clock runs, where what is refused, and what is said when none can be had. Each case runs in
 * a child of its own, which may refuse itself system calls.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

/* Makes the system call fail with EPERM from now on, as in a container. */
static void refuse(int nr)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0)
		_exit(99);
}

/* Starts, counts and names the clock that did it. */
static bool runs_on(const char *clock)
{
	if (count_everything() != 0)
		return false;
	burn(0.2);
	count_nothing();
	return strcmp(clock_now().clock, clock) == 0 && everything[0] >= 15 && everything[0] <= 22;
}

static bool fails_with(int error, const char *word)
{
	errno = 0;
	return count_everything() == -1 && errno == error && !clock_now().running &&
	       strstr(clock_now().problem, word) != NULL;
}

static bool perf_refused(void)
{
	refuse(SYS_perf_event_open);
	return runs_on("timer");
}

static bool perf_and_timers_refused(void)
{
	refuse(SYS_perf_event_open);
	refuse(SYS_timer_create);
	return runs_on("itimer");
}

static bool all_refused(void)
{
	refuse(SYS_perf_event_open);
	refuse(SYS_timer_create);
	refuse(SYS_setitimer);
	return fails_with(EPERM, "setitimer");
}

static bool forced_timer(void)
{
	setenv("PROFIL_CLOCK", "timer", 1);
	return runs_on("timer");
}

static bool forced_itimer(void)
{
	setenv("PROFIL_CLOCK", "itimer", 1);
	return runs_on("itimer");
}

static bool forced_perf_refused(void)
{
	setenv("PROFIL_CLOCK", "perf", 1);
	refuse(SYS_perf_event_open);
	return fails_with(EPERM, "perf_event_open");
}

static bool unknown_clock(void)
{
	setenv("PROFIL_CLOCK", "sundial", 1);
	return fails_with(EINVAL, "PROFIL_CLOCK");
}

static bool bad_rates(void)
{
	static const char *const rates[] = { "0",    "20001", "-5",
					     "fast", "100Hz", "99999999999999999999" };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		setenv("PROFIL_HZ", rates[i], 1);
		if (!fails_with(EINVAL, "PROFIL_HZ"))
			return false;
	}
	return true;
}

static bool good_rates(void)
{
	static const unsigned int rates[] = { 1, 50, 1000, 20000 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct profil_clock_info info;
		char text[16];

		snprintf(text, sizeof(text), "%u", rates[i]);
		setenv("PROFIL_HZ", text, 1);
		count_everything();
		burn(0.2);
		count_nothing();
		info = clock_now();
		if (info.asked_hz != rates[i] || (double)info.samples > 0.21 * rates[i] + 1 ||
		    (double)info.samples < 0.19 * rates[i] - 1)
			return false;
	}
	return true;
}

static bool empty_is_default(void)
{
	setenv("PROFIL_HZ", "", 1);
	setenv("PROFIL_CLOCK", "", 1);
	return count_everything() == 0 && clock_now().asked_hz == 100;
}

static bool itimer_in_use(void)
{
	struct itimerval far = { { 0, 0 }, { 1000, 0 } }, now;

	setenv("PROFIL_CLOCK", "itimer", 1);
	setitimer(ITIMER_PROF, &far, NULL);
	if (!fails_with(EBUSY, "ITIMER_PROF"))
		return false;
	getitimer(ITIMER_PROF, &now);
	return now.it_value.tv_sec >= 999;
}

static volatile sig_atomic_t caught;

static void on_prof(int sig)
{
	(void)sig;
	caught++;
}

static bool itimer_gives_way(void)
{
	struct itimerval soon = { { 0, 0 }, { 0, 10000 } };

	setenv("PROFIL_CLOCK", "itimer", 1);
	setenv("PROFIL_HZ", "1000", 1);
	/* A tick may come at any moment. */
	for (int i = 0; i < 20; i++) {
		signal(SIGPROF, SIG_DFL);
		count_everything();
		burn(0.01);
		signal(SIGPROF, on_prof);
		burn(0.01);
		if (caught || clock_now().running)
			return false;
	}
	setitimer(ITIMER_PROF, &soon, NULL);
	burn(0.1);
	return caught == 1;
}

static bool traced(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	return runs_on("timer");
}

/* Runs body in a child. The parent is its debugger if the child asks for one: it passes every
 * signal on. */
static bool in_a_child(bool (*body)(void))
{
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(body() ? 0 : 1);
	for (;;) {
		waitpid(child, &status, 0);
		if (!WIFSTOPPED(status))
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status));
	}
}

int main(void)
{
	if (is_emulated()) {
		skip("clocks that are refused", NO_FILTERS);
	} else {
		ok(in_a_child(perf_refused), "perf_event_open refused: the timer clock");
		ok(in_a_child(perf_and_timers_refused),
		   "timer_create refused too: the itimer clock");
		ok(in_a_child(all_refused), "all refused: -1, errno, and a sentence");
		ok(in_a_child(forced_perf_refused),
		   "PROFIL_CLOCK=perf where it is refused is an error");
	}
	ok(in_a_child(forced_timer), "PROFIL_CLOCK=timer");
	ok(in_a_child(forced_itimer), "PROFIL_CLOCK=itimer");
	ok(in_a_child(unknown_clock), "PROFIL_CLOCK=sundial is an error");
	ok(in_a_child(bad_rates), "PROFIL_HZ that is no number from 1 to 20000 is an error");
	ok(in_a_child(good_rates), "PROFIL_HZ 1, 50, 1000, 20000: that many samples a second");
	ok(in_a_child(empty_is_default), "empty variables are as good as none");
	ok(in_a_child(itimer_in_use), "the itimer clock refuses a timer that is in use");
	ok(in_a_child(itimer_gives_way), "and ends when the program takes SIGPROF");
	ok(in_a_child(traced), "under a debugger, whose SIGTRAP is its own: the timer clock");
	return tap_done();
}
