/* SPDX-License-Identifier: MIT
 *
 * test_account.c - weights of samples: they add up to the kernel's figure, however many ticks were
 * lost, and time without ticks goes to the samples around it.
 */
#include <string.h>

#include "attach/account.h"
#include "tap.h"

#define PERIOD 100 /* in units, as in attach.c */
#define COUNT  50

static struct record_sample samples[COUNT];

/* Adds samples, one period apart, from the instant `from` on. */
static void add(struct account *account, int first, int count, uint64_t from)
{
	for (int i = 0; i < count; i++) {
		samples[first + i] = (struct record_sample){ .weight = PERIOD };
		account_add(account, &samples[first + i], from + (uint64_t)i * PERIOD);
	}
}

static uint64_t sum(int first, int count)
{
	uint64_t total = 0;

	for (int i = 0; i < count; i++)
		total += samples[first + i].weight;
	return total;
}

static void settle(struct account *account, uint64_t used, uint64_t time, bool is_last)
{
	account_wait(account, time);
	account_settle(account, used, 1e9, is_last);
}

static void all_seen(void)
{
	struct account account = { 0 };

	add(&account, 0, 10, 1000);
	ok(sum(0, 10) == 10 * PERIOD, "before it is settled, a sample stands for a period");
	settle(&account, 10 * PERIOD, 1900, false);
	ok(sum(0, 10) == 10 * PERIOD && account.settled == 10 * PERIOD && !account.open_count,
	   "if nothing was lost, it stays so");
	add(&account, 10, 10, 2000);
	settle(&account, 20 * PERIOD + 37, 2900, false);
	ok(sum(0, 10) == 10 * PERIOD, "a settled sample keeps its weight");
	ok(sum(0, 20) == 20 * PERIOD + 37, "the sum is that of the kernel to the last unit: %lu",
	   sum(0, 20));
	account_free(&account);
}

static void old_figure(void)
{
	struct account account = { 0 };

	add(&account, 0, 4, 1000);
	settle(&account, PERIOD, 1300, false);
	ok(sum(0, 4) == 4 * PERIOD && account.open_count == 4,
	   "a figure that is much too low is taken for an old one");
	settle(&account, PERIOD, 1300, true);
	ok(sum(0, 4) == PERIOD && !account.open_count, "but not if it is the last word");
	account_free(&account);
}

/* Samples that arrive faster than their weights explain: there was no silence. */
static void haste(void)
{
	struct account account = { 0 };
	bool equal = true;

	for (int i = 0; i < 10; i++) {
		samples[i] = (struct record_sample){ .weight = PERIOD };
		account_add(&account, &samples[i], 1000 + (uint64_t)i * PERIOD / 2);
	}
	settle(&account, 20 * PERIOD, 1000 + 9 * PERIOD / 2, false);
	for (int i = 0; i < 10; i++)
		equal = samples[i].weight == 2 * PERIOD && equal;
	ok(equal, "excess time is shared equally: %d", samples[0].weight);
	account_free(&account);
}

/* Ten ticks in a row, a long time in the kernel, ten more. */
static void silence(void)
{
	struct account account = { 0 };

	add(&account, 0, 10, 1000);
	add(&account, 10, 10, 1000 + 29 * PERIOD);
	settle(&account, 39 * PERIOD, 1000 + 38 * PERIOD, false);
	ok(sum(0, 20) == 39 * PERIOD, "time without ticks is in the sum: %lu", sum(0, 20));
	ok(samples[9].weight >= 10 * PERIOD && samples[10].weight >= 10 * PERIOD,
	   "half of it is with the sample before, half with the one behind: %d and %d",
	   samples[9].weight, samples[10].weight);
	ok(samples[0].weight < 2 * PERIOD && samples[5].weight <= PERIOD + 1 &&
		   samples[15].weight <= PERIOD + 1,
	   "others have none of it");
	account_free(&account);
}

static void silence_at_the_end(void)
{
	struct account account = { 0 };

	add(&account, 0, 10, 1000);
	settle(&account, 30 * PERIOD, 1000 + 29 * PERIOD, false);
	ok(sum(0, 10) == 30 * PERIOD && samples[9].weight >= 20 * PERIOD,
	   "time behind the last tick is with that: %d", samples[9].weight);
	account_free(&account);
}

static void too_much(void)
{
	struct account account = { 0 };

	add(&account, 0, 1, 1000);
	settle(&account, 3 * UINT16_MAX, 2000, false);
	ok(samples[0].weight == UINT16_MAX && account.settled == UINT16_MAX,
	   "more than a sample can stand for is left");
	add(&account, 1, 2, 3000);
	settle(&account, 3 * UINT16_MAX, 3000, false);
	ok(sum(0, 3) == 3 * UINT16_MAX, "for those that follow");
	account_free(&account);
}

/* Time of others cannot be attributed to a few samples. */
static void limit(void)
{
	struct account account = { 0 };

	add(&account, 0, 10, 1000);
	account_settle(&account, 100 * PERIOD, 2, true);
	ok(sum(0, 10) == 20 * PERIOD && account.settled == 20 * PERIOD,
	   "a sample stands for so many times of what it did, and no more");
	add(&account, 10, 2, 1000 + 50 * PERIOD);
	account_settle(&account, 60 * PERIOD, 2, true);
	ok(sum(10, 2) > 38 * PERIOD, "but for the time without samples: %lu", sum(10, 2));
	account_free(&account);
}

static void moving(void)
{
	struct account from = { 0 }, to = { 0 };

	add(&from, 0, 10, 1000);
	settle(&from, 10 * PERIOD, 2000, false);
	add(&from, 10, 10, 2000);
	add(&to, 20, 10, 1000);
	account_move(&from, &to);
	ok(!from.open_count && to.open_count == 20 && to.settled == 10 * PERIOD,
	   "open samples and settled time go to another account");
	settle(&to, 60 * PERIOD, 5000, true);
	ok(sum(0, 30) == 60 * PERIOD, "which settles them: %lu", sum(0, 30));
	add(&to, 30, 5, 6000);
	account_accept(&to);
	ok(sum(30, 5) == 5 * PERIOD && to.settled == 65 * PERIOD, "or accepts them as they are");
	account_free(&to);
}

/* The kernel's figure is of a time before the last samples. */
static void until(void)
{
	struct account account = { 0 };

	add(&account, 0, 10, 1000);
	ok(account_settle_until(&account, 1000 + 5 * PERIOD, 9 * PERIOD) == 0 &&
		   sum(0, 6) == 9 * PERIOD && sum(6, 4) == 4 * PERIOD,
	   "samples up to that time are settled, later ones are not: %lu and %lu", sum(0, 6),
	   sum(6, 4));
	ok(account.open_count == 5 && account.settled + samples[5].weight == 9 * PERIOD,
	   "the last one of them stays open");
	settle(&account, 14 * PERIOD, 1000 + 9 * PERIOD, true);
	ok(sum(0, 10) == 14 * PERIOD, "all of them add up: %lu", sum(0, 10));
	account_free(&account);
}

/* Ticks that are hidden: the time is used before or after all samples. */
static void hidden(void)
{
	struct account account = { 0 }, to = { 0 };

	ok(account_settle_until(&account, 1000, 7) == 7, "without a sample, all time is left");
	add(&account, 0, 2, 1000);
	settle(&account, 2 * PERIOD, 1100, false);
	ok(account_settle_until(&account, 3000, 12 * PERIOD) == 0 && sum(0, 2) == 12 * PERIOD,
	   "the last settled sample stands for what came later: %lu", sum(0, 2));
	account_move(&account, &to);
	settle(&to, 15 * PERIOD, 4000, true);
	ok(sum(0, 2) == 15 * PERIOD, "and for more: %lu", sum(0, 2));
	account_free(&to);

	add(&account, 0, 1, 1000);
	settle(&account, PERIOD, 1000, false);
	ok(account_settle_until(&account, 3000, UINT16_MAX + 5) == 5,
	   "as far as it can stand for it");
	account_free(&account);
	add(&account, 0, 1, 1000);
	account_accept(&account);
	ok(account_settle_until(&account, 3000, 3 * PERIOD) == 2 * PERIOD && sum(0, 1) == PERIOD,
	   "an accepted sample keeps its weight");
	account_free(&account);
}

/* A sample of waiting for the rest of the time. */
static void rest(void)
{
	struct record_sample waited = { .weight = 5 * PERIOD };
	struct account account = { 0 };

	add(&account, 0, 2, 1000);
	account_share(&account, &waited);
	settle(&account, 5 * PERIOD, 1100, true);
	ok(sum(0, 2) == 5 * PERIOD && waited.weight == 2 * PERIOD,
	   "time that was used was not waited: %d", waited.weight);
	add(&account, 2, 2, 1200);
	account_share(&account, &waited);
	settle(&account, 6 * PERIOD, 1300, true);
	ok(sum(2, 2) == PERIOD && waited.weight == 3 * PERIOD, "nor the other way round: %d",
	   waited.weight);
	add(&account, 4, 1, 1400);
	account_share(&account, &waited);
	settle(&account, 16 * PERIOD, 1400, true);
	ok(waited.weight == 0, "down to nothing");
	account_free(&account);
}

/* A thread that got no tick in its last milliseconds. */
static void nothing_behind_the_last(void)
{
	struct account account = { 0 };

	add(&account, 0, 2, 1000);
	settle(&account, 2 * PERIOD, 1100, false);
	settle(&account, 2 * PERIOD + 30, 1500, false);
	ok(sum(0, 2) == 2 * PERIOD, "time behind the last sample waits for the next one");
	settle(&account, 2 * PERIOD + 40, 1600, true);
	ok(samples[1].weight == PERIOD + 40 && samples[0].weight == PERIOD &&
		   account.settled == 2 * PERIOD + 40,
	   "at the end, the last one stands for it: %d", samples[1].weight);
	account_forget(&account);
	settle(&account, 3 * PERIOD, 1700, true);
	ok(sum(0, 2) == 2 * PERIOD + 40, "unless it is out of reach");
	account_free(&account);
}

int main(void)
{
	all_seen();
	nothing_behind_the_last();
	old_figure();
	haste();
	silence();
	silence_at_the_end();
	too_much();
	limit();
	moving();
	until();
	hidden();
	rest();
	return tap_done();
}
