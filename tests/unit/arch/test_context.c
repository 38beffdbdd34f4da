/* SPDX-License-Identifier: MIT
 *
 * test_context.c - the facts that a handler finds about the interrupted code.
 *
 * The code to be interrupted sets a flag while it runs: so a test can tell if a signal hit it or,
 * as the first one may, the call that set the timer.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "arch.h"
#include "tap.h"

extern const char __executable_start[], etext[];

static struct {
	volatile sig_atomic_t in_syscall, plain, elsewhere;
	volatile sig_atomic_t foreign; /* not in this program's code */
	volatile sig_atomic_t meant;   /* that code runs */
} hits;

static void on_signal(int sig, siginfo_t *info, void *uc)
{
	uintptr_t pc = arch_pc(uc);

	(void)sig;
	(void)info;
	hits.foreign +=
		hits.meant && (pc < (uintptr_t)__executable_start || pc >= (uintptr_t)etext);
	if (!hits.meant)
		hits.elsewhere++;
	else if (arch_in_syscall(uc))
		hits.in_syscall++;
	else
		hits.plain++;
}

static void expect_hits(void)
{
	memset(&hits, 0, sizeof(hits));
}

/* Handles a signal. Without SA_RESTART, an interrupted call returns an error. */
static void handle(int sig)
{
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };

	sigaction(sig, &action, NULL);
}

static void every(long microseconds)
{
	struct itimerval when = { .it_value.tv_usec = microseconds,
				  .it_interval.tv_usec = microseconds };

	setitimer(ITIMER_REAL, &when, NULL);
}

static long blocked(long nr, long a, long b, long c)
{
	long answer;

	hits.meant = true;
	answer = arch_syscall(nr, a, b, c, 0, 0, 0);
	hits.meant = false;
	return answer;
}

/* Long enough for a slow machine: ends after enough hits. */
static void spin(int wanted)
{
	hits.meant = true;
	for (uint64_t turns = 0; turns < UINT64_C(20000000000); turns++)
		if (hits.plain + hits.in_syscall >= wanted)
			break;
	hits.meant = false;
}

static void interrupted_calls(const char *name, long nr, long a, long b, long c)
{
	int interrupted = 0;

	expect_hits();
	every(1000);
	for (int i = 0; i < 50; i++)
		interrupted += blocked(nr, a, b, c) == -EINTR;
	every(0);
	ok(interrupted == 50, "%s was interrupted each time", name);
	ok(hits.in_syscall >= interrupted, "each time the handler saw a system call of %s", name);
	if (hits.plain || hits.elsewhere)
		note("signals beside it: %d on the way in or out, %d elsewhere", (int)hits.plain,
		     (int)hits.elsewhere);
}

static void plain_code(void)
{
	expect_hits();
	every(1000);
	spin(50);
	every(0);
	ok(hits.plain >= 50 && !hits.foreign, "a loop of this program was interrupted");
	ok(hits.in_syscall == 0, "not once the handler took it for a system call");
}

/* Raises a signal to itself: that call is interrupted at its very end. */
static void own_signal(void)
{
	expect_hits();
	ok(blocked(SYS_tgkill, getpid(), (long)gettid(), SIGUSR1) == 0 && hits.in_syscall == 1,
	   "a call that signals its own thread is interrupted, and does not fail");
}

int main(void)
{
	int ends[2];
	char byte;

	if (pipe(ends))
		bail_out("no pipe to read from");
	handle(SIGALRM);
	handle(SIGUSR1);
	interrupted_calls("ppoll()", SYS_ppoll, 0, 0, 0);
	interrupted_calls("read()", SYS_read, ends[0], (long)&byte, 1);
	own_signal();
	plain_code();
	return tap_done();
}
