/* SPDX-License-Identifier: MIT
 *
 * switching.h - when a session records: from a delay on, and between two signals that the user
 * sends to dwell. The command is not involved: its own signals and handlers stay as they are.
 */
#ifndef DWELL_CLI_RUN_SWITCHING_H
#define DWELL_CLI_RUN_SWITCHING_H

#include <stdbool.h>
#include <stdint.h>

/* Starts as all zeroes: it records from the start. */
struct switching {
	bool has_delay;
	double delay_s; /* below 0: until dwell ctl starts it */
	int signal;     /* 0: none */
};

/* Keep the value of --delay or --toggle. Return 0, or the exit status after an error message. */
int switching_take_delay(struct switching *switching, const char *verb, const char *value);
int switching_take_signal(struct switching *switching, const char *verb, const char *value);

static inline bool switching_is_used(const struct switching *switching)
{
	return switching->has_delay || switching->signal;
}

/* Returns the flags of a recording that begins so. */
uint32_t switching_flags(const struct switching *switching);

/* Starts the delay, and listens to the signal, for the recording of a descriptor, which stays open
 * until the second stops both. One at a time. */
void switching_begin(const struct switching *switching, int fd);
void switching_end(const struct switching *switching);

#define SWITCHING_HELP                                                                             \
	"      --delay SECONDS   start to record after SECONDS; -1: when dwell ctl says so\n"      \
	"      --toggle SIGNAL   start, pause and continue to record when SIGNAL is sent to\n"     \
	"                        dwell: USR1, USR2 or RTMIN+N\n"

#endif
