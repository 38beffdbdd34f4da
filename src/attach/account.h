/* SPDX-License-Identifier: MIT
 *
 * account.h - determines how much time each sample of a thread stands for.
 *
 * A sample is written with the period of its counter, and corrected when the kernel has reported
 * how much CPU time the thread really used: ticks are lost when rings are full, come late, are
 * hidden while the kernel runs, and are random if threads share a CPU. Invariant: after
 * account_settle(), the weights of all samples so far add up to that time.
 *
 * Time without ticks goes to the samples before and behind it.
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
	struct record_sample *rest; /* stands for the rest of the same time; NULL: none */
	uint64_t time;
	double pull; /* time without samples before or behind it, in units of weight */
};

/* All in units of weight. Starts as all zeroes. */
struct account {
	uint64_t settled; /* time that settled samples stand for */
	struct account_open *open;
	size_t open_count;
	uint64_t open_sum;          /* preliminary sum of their weights */
	uint64_t last_time;         /* of the last event of the thread; 0: never */
	struct record_sample *last; /* settled last; NULL: none that may still change */
};

/* Adds a written sample, at a time in these units. Returns 0, or -ENOMEM: it keeps its weight. */
int account_add(struct account *account, struct record_sample *sample, uint64_t time);

/* Notes that there was no sample up to this time, which the previous one may stand for. */
void account_wait(struct account *account, uint64_t time);

/* Settles open samples by the time used so far. Does nothing while that is less than half of what
 * the open samples stand for, unless is_last: the kernel's figure may be some ms old. Then, if none
 * is open, the last one that was settled stands for the time behind it as well. Apart from the time
 * without samples around it, a sample will stand for at most `limit` times its previous weight. */
void account_settle(struct account *account, uint64_t used, double limit, bool is_last);

/* Settles the last settled sample again, and open ones up to a time for which the time used is
 * known. The last of them stays open: it may stand for time behind that as well. Returns the time
 * that none of them can stand for. */
uint64_t account_settle_until(struct account *account, uint64_t time, uint64_t used);

/* Names the sample that stands for the rest of the time of all open ones: that which one of them
 * gains, it loses. */
void account_share(struct account *account, struct record_sample *rest);

/* Keeps the weights as they are: nothing more will ever be known. */
void account_accept(struct account *account);

/* Never changes the weight of a settled sample again: it will be out of reach. */
void account_forget(struct account *account);

/* Moves open samples to another account. */
void account_move(struct account *from, struct account *to);

void account_free(struct account *account);

#endif
