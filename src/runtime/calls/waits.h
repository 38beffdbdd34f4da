/* SPDX-License-Identifier: MIT
 *
 * waits.h - how much of the time in long calls a thread runs, and does not wait: measures the CPU
 * time of a part of them.
 *
 * A function is a suspect in a thread from its first long call on (RECORD_LONG_NS). Calls of
 * suspects go through C, which measures some of them: as many as take a hundredth of their time.
 * Other functions pay nothing. The first call of a function is measured as well, in case it is the
 * only one.
 */
#ifndef DWELL_RUNTIME_CALLS_WAITS_H
#define DWELL_RUNTIME_CALLS_WAITS_H

#include "calls.h"

/* Finds the rate of the recording's clock, between its start and now. */
void waits_find_rate(const struct record_header *header);

/* Returns the ticks of RECORD_LONG_NS at the rate of so many ticks in so many nanoseconds; 0: a
 * counter cannot have that rate. */
uint64_t waits_long_ticks(uint64_t ticks, uint64_t ns);

/* Returns the thread's tally of a suspect; NULL: it is none. */
struct tally *waits_suspect(const struct calls_thread *thread, uint32_t function);

/*
 * Begins a call that has its slot and is not filled in; measures it if it is its turn. Called
 * before the time is taken.
 */
void waits_enter(struct calls_thread *thread, struct tally *tally, struct slot *slot);

/* An ended call. */
struct waits_ended {
	uint64_t now;    /* its end */
	uint64_t time;   /* that it took */
	uint64_t gross;  /* the same, with the cost of wrapping the calls that it made */
	uint64_t weight; /* calls that it stands for, if sampled */
};

/* Ends the call of a slot. Returns the ticks that measuring it has taken from its caller. */
uint64_t waits_leave(struct calls_thread *thread, struct tally *tally, const struct slot *slot,
		     const struct waits_ended *ended);

/*
 * Ends the measurement of a slot's call, if there is one, and restores its way out. Called by its
 * owner, however the call ends.
 */
void waits_drop(struct slot *slot);

/* Adds the duration of a long call that goes into the octaves, `weight` times. */
void waits_add(struct calls_thread *thread, struct tally *tally, uint64_t duration,
	       uint64_t weight);

/* Forgets all suspects and measurements: the thread's tallies are gone. */
void waits_forget(struct calls_thread *thread);

#endif
