/* SPDX-License-Identifier: MIT */
#include "switching.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "recording/format.h"
#include "recording/make/pause.h"

#define MOST_S 1e7

int switching_take_delay(struct switching *switching, const char *verb, const char *value)
{
	char *end;
	double seconds = strtod(value, &end);
	bool is_endless = strcmp(value, "-1") == 0;

	if (end == value || *end || (!is_endless && !(seconds >= 0 && seconds < MOST_S)))
		return cmd_fail(verb, "invalid delay '%s': must be a number of seconds, or -1",
				value);
	switching->has_delay = true;
	switching->delay_s = is_endless ? -1 : seconds;
	return 0;
}

/* Parses the N of RTMIN+N. Returns the signal, or 0. */
static int parse_real_time(const char *text)
{
	static const char prefix[] = "RTMIN";
	size_t length = sizeof(prefix) - 1;
	uint64_t number = 0;

	if (strncmp(text, prefix, length) != 0)
		return 0;
	text += length;
	if (*text && (*text != '+' || !decimal_parse(text + 1, 64, &number)))
		return 0;
	return SIGRTMIN + (int)number <= SIGRTMAX ? SIGRTMIN + (int)number : 0;
}

int switching_take_signal(struct switching *switching, const char *verb, const char *value)
{
	const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;

	if (strcmp(name, "USR1") == 0)
		switching->signal = SIGUSR1;
	else if (strcmp(name, "USR2") == 0)
		switching->signal = SIGUSR2;
	else
		switching->signal = parse_real_time(name);
	if (!switching->signal)
		return cmd_fail(verb,
				"invalid signal '%s': must be USR1, USR2 or RTMIN+N, as others end "
				"a recording or are for the command",
				value);
	return 0;
}

uint32_t switching_flags(const struct switching *switching)
{
	return (switching_is_used(switching) ? RECORD_PAUSED : 0) |
	       (switching->signal ? RECORD_PAUSABLE : 0);
}

/* Read by the handlers. */
static struct {
	int fd;
	struct sigaction before_toggle, before_delay;
} state;

static void on_toggle(int signal)
{
	int saved = errno;

	(void)signal;
	pause_toggle(state.fd);
	errno = saved;
}

static void on_delay(int signal)
{
	int saved = errno;

	(void)signal;
	pause_set(state.fd, false);
	errno = saved;
}

static bool has_timer(const struct switching *switching)
{
	return switching->has_delay && switching->delay_s > 0;
}

static void start_timer(double seconds)
{
	struct itimerval timer = { .it_value = { .tv_sec = (time_t)seconds,
						 .tv_usec =
							 (suseconds_t)(fmod(seconds, 1) * 1e6) } };

	if (!timer.it_value.tv_sec && !timer.it_value.tv_usec)
		timer.it_value.tv_usec = 1;
	setitimer(ITIMER_REAL, &timer, NULL);
}

void switching_begin(const struct switching *switching, int fd)
{
	struct sigaction toggle = { .sa_handler = on_toggle, .sa_flags = SA_RESTART };
	struct sigaction delay = { .sa_handler = on_delay, .sa_flags = SA_RESTART };

	/* One of them at a time: both change the same word. */
	sigaddset(&toggle.sa_mask, SIGALRM);
	if (switching->signal)
		sigaddset(&delay.sa_mask, switching->signal);
	state.fd = fd;
	if (switching->signal)
		sigaction(switching->signal, &toggle, &state.before_toggle);
	if (has_timer(switching)) {
		sigaction(SIGALRM, &delay, &state.before_delay);
		start_timer(switching->delay_s);
	} else if (switching->has_delay && switching->delay_s == 0) {
		pause_set(fd, false);
	}
}

void switching_end(const struct switching *switching)
{
	struct itimerval none = { 0 };

	if (has_timer(switching)) {
		setitimer(ITIMER_REAL, &none, NULL);
		sigaction(SIGALRM, &state.before_delay, NULL);
	}
	/* One that is still to come must not end us. */
	if (switching->signal)
		signal(switching->signal, SIG_IGN);
}
