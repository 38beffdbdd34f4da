/* SPDX-License-Identifier: MIT
 *
 * test_switching.c - --delay and --toggle: values, and what a signal and a delay do.
 */
#include "cli/run/switching.h"

#include <fcntl.h>
#include <signal.h>

#include "../../recording.h"
#include "recording/make/pause.h"

static int signal_of(const char *value)
{
	struct switching switching = { 0 };

	return switching_take_signal(&switching, "test", value) ? 0 : switching.signal;
}

/* Returns the delay; -2: it is refused. */
static double delay_of(const char *value)
{
	struct switching switching = { 0 };

	return switching_take_delay(&switching, "test", value) ? -2 : switching.delay_s;
}

static void values(void)
{
	ok(signal_of("USR1") == SIGUSR1 && signal_of("SIGUSR2") == SIGUSR2, "names of signals");
	ok(signal_of("RTMIN") == SIGRTMIN && signal_of("SIGRTMIN+3") == SIGRTMIN + 3,
	   "real-time signals");
	ok(!signal_of("INT") && !signal_of("TERM") && !signal_of("CHLD") && !signal_of("KILL"),
	   "signals that end a recording, or are for the command, are refused");
	ok(!signal_of("") && !signal_of("RTMIN+") && !signal_of("RTMIN-1") &&
		   !signal_of("RTMIN+99") && !signal_of("10"),
	   "and what is none");
	ok(delay_of("0") == 0 && delay_of("2.5") == 2.5 && delay_of("-1") == -1, "delays");
	ok(delay_of("") == -2 && delay_of("-2") == -2 && delay_of("1s") == -2 &&
		   delay_of("nan") == -2 && delay_of("inf") == -2,
	   "and what is none");
}

static void flags(void)
{
	struct switching none = { 0 }, delay = { .has_delay = true },
			 toggle = { .signal = SIGUSR1 };

	ok(!switching_flags(&none) && !switching_is_used(&none),
	   "without them, it records at once");
	ok(switching_flags(&delay) == RECORD_PAUSED &&
		   switching_flags(&toggle) == (RECORD_PAUSED | RECORD_PAUSABLE),
	   "with one of them, it begins paused; with a signal, calls can be paused again");
}

static void switches(int fd)
{
	struct switching toggle = { .signal = SIGUSR1 }, now = { .has_delay = true };
	struct switching soon = { .has_delay = true, .delay_s = 0.01, .signal = SIGUSR2 };
	sigset_t alarm, before;

	pause_set(fd, true);
	switching_begin(&toggle, fd);
	raise(SIGUSR1);
	ok(pause_get(fd) == 0, "a signal starts it");
	raise(SIGUSR1);
	ok(pause_get(fd) == 1, "the next one pauses it");
	switching_end(&toggle);
	raise(SIGUSR1);
	ok(pause_get(fd) == 1, "after the end, a signal does nothing");
	switching_begin(&now, fd);
	ok(pause_get(fd) == 0, "no delay");
	switching_end(&now);
	pause_set(fd, true);
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(SIG_BLOCK, &alarm, &before);
	switching_begin(&soon, fd);
	ok(pause_get(fd) == 1, "a delay that is not over");
	sigsuspend(&before);
	ok(pause_get(fd) == 0, "one that is");
	raise(SIGUSR2);
	ok(pause_get(fd) == 1, "and signals beside it");
	switching_end(&soon);
	sigprocmask(SIG_SETMASK, &before, NULL);
}

int main(void)
{
	struct recording recording = recording_new(0);
	int fd = open(recording_file(&recording, recording.size), O_RDWR | O_CLOEXEC);

	values();
	flags();
	switches(fd);
	close(fd);
	recording_free(&recording);
	return tap_done();
}
