/* SPDX-License-Identifier: MIT
 *
 * account.h - how much time each sample of a thread stands for.
 *
 * A sample is written with the period of its counter, and is put right when the kernel has told how
 * much CPU time the thread has really used: ticks get lost when rings are full, come late, are kept
 * from us while the kernel runs, and are a matter of chance where threads share a CPU. Invariant:
 * after account_settle(), the weights of all samples so far add up to that time.
 *
 * What ticks have not told goes to the samples before and behind the time when there were none.
 */
#ifndef DWELL_ATTACH_ACCOUNT_H
#define DWELL_ATTACH_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* A sample whose weight is not settled yet. */
struct account_open {
	struct record_sample *sample;
	double pull; /* time without samples before or behind it, in units of weight */
};

/* All in units of weight. Starts as all zeroes. */
struct account {
	uint64_t settled; /* that settled samples stand for */
	struct account_open *open;
	size_t open_count;
	uint64_t open_sum;  /* that they stand for, for the time being */
	uint64_t last_time; /* when something was last known of the thread; 0: never */
};

/* A sample was written, at a time in these units. 0, or -ENOMEM: it keeps its weight. */
int account_add(struct account *account, struct record_sample *sample, uint64_t time);

/* There was no sample up to this time, which the one before it may stand for. */
void account_wait(struct account *account, uint64_t time);

/*
 * So much is known to be used by now. Nothing happens while that is less than half of what the open
 * samples stand for, unless it is the last word: the kernel's figure may be some ms old. Apart from
 * the time without samples around it, a sample will stand for at most `limit` times of what it did.
 */
void account_settle(struct account *account, uint64_t used, double limit, bool is_last);

/* As they are: nothing more will ever be known. */
void account_accept(struct account *account);

/* Open samples become those of another account. */
void account_move(struct account *from, struct account *to);

void account_free(struct account *account);

#endif
