/* SPDX-License-Identifier: MIT */
#include "attach/account.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "base/vec.h"

static int add(struct account *account, const struct account_open *open)
{
	struct account_open *more = vec_room(account->open, account->open_count, sizeof(*more));

	if (!more) {
		account->settled += open->sample->weight;
		return -ENOMEM;
	}
	account->open = more;
	more[account->open_count++] = *open;
	account->open_sum += open->sample->weight;
	return 0;
}

/* Returns the time since the account was last touched, beyond what a sample stands for by
 * itself. */
static double silence(struct account *account, uint64_t time, uint64_t explained)
{
	uint64_t since = account->last_time;

	account->last_time = time;
	return since && time > since + explained ? (double)(time - since - explained) : 0;
}

int account_add(struct account *account, struct record_sample *sample, uint64_t time)
{
	struct account_open open = { .sample = sample, .time = time };
	double gap = silence(account, time, sample->weight);

	open.pull = gap;
	if (account->open_count) {
		open.pull = gap / 2;
		account->open[account->open_count - 1].pull += gap / 2;
	}
	return add(account, &open);
}

static double sum_of_pulls(const struct account *account)
{
	double sum = 0;

	for (size_t i = 0; i < account->open_count; i++)
		sum += account->open[i].pull;
	return sum;
}

/* Returns what open samples stand for, by their weights. */
static uint64_t sum_of_weights(const struct account *account)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < account->open_count; i++)
		sum += account->open[i].sample->weight;
	return sum;
}

static void set_weight(const struct account_open *open, uint16_t weight)
{
	int64_t rest;

	if (open->rest) {
		rest = (int64_t)open->rest->weight + open->sample->weight - weight;
		open->rest->weight = rest < 0 ? 0 : rest > UINT16_MAX ? UINT16_MAX : (uint16_t)rest;
	}
	open->sample->weight = weight;
}

/* Distributes the time by the silence around each sample, as far as there is any; else in
 * proportion. Carries rounding errors to the next one. */
static uint64_t share_out(const struct account *account, uint64_t due, double limit)
{
	double pulls = sum_of_pulls(account), own = (double)account->open_sum;
	double beyond = (double)due > own ? (double)due - own : 0;
	double silent = beyond < pulls ? beyond : pulls;
	double by_pull = pulls > 0 ? silent / pulls : 0;
	double by_weight = own > 0 ? ((double)due - silent) / own : 0;
	double rest = 0.5;
	uint64_t given = 0;

	if (by_weight > limit)
		by_weight = limit;
	DWELL_ASSERT(account->open_sum == sum_of_weights(account));
	for (size_t i = 0; i < account->open_count; i++) {
		const struct account_open *open = &account->open[i];
		double weight = open->pull * by_pull + open->sample->weight * by_weight + rest;
		uint64_t whole = weight < UINT16_MAX ? (uint64_t)weight : UINT16_MAX;

		rest = weight - (double)whole;
		set_weight(open, (uint16_t)whole);
		given += whole;
	}
	DWELL_ASSERT(given == sum_of_weights(account));
	return given;
}

static void close_all(struct account *account, uint64_t given)
{
	account->settled += given;
	if (account->open_count)
		account->last = account->open[account->open_count - 1].sample;
	account->open_count = 0;
	account->open_sum = 0;
}

void account_wait(struct account *account, uint64_t time)
{
	if (account->open_count)
		account->open[account->open_count - 1].pull += silence(account, time, 0);
}

/* Opens the last settled sample again. */
static void reopen(struct account *account)
{
	struct account_open open = { .sample = account->last };

	if (!account->last || add(account, &open))
		return;
	account->settled -= open.sample->weight;
	memmove(account->open + 1, account->open, (account->open_count - 1) * sizeof(open));
	account->open[0] = open;
	account->last = NULL;
}

void account_settle(struct account *account, uint64_t used, double limit, bool is_last)
{
	uint64_t due;

	if (is_last && !account->open_count)
		reopen(account);
	due = used > account->settled ? used - account->settled : 0;
	if (!account->open_count || (due < account->open_sum / 2 && !is_last))
		return;
	close_all(account, share_out(account, due, limit));
}

/* Returns how many of the open samples are from before that time, or from it. */
static size_t count_until(const struct account *account, uint64_t time)
{
	size_t count = 0;

	while (count < account->open_count && account->open[count].time <= time)
		count++;
	return count;
}

/* Drops open samples, which are settled, but keeps the last of them open for time behind `time`. */
static void drop_until(struct account *account, size_t count, uint64_t time)
{
	struct account_open *last = &account->open[count - 1];

	if (count == account->open_count)
		last->pull = account->last_time > time ? (double)(account->last_time - time) : 0;
	account->open_count -= count - 1;
	account->settled -= last->sample->weight;
	memmove(account->open, last, account->open_count * sizeof(*last));
	account->open_sum = sum_of_weights(account);
}

uint64_t account_settle_until(struct account *account, uint64_t time, uint64_t used)
{
	uint64_t due, given;
	struct account early;

	reopen(account);
	early = *account;
	early.open_count = count_until(account, time);
	due = used > early.settled ? used - early.settled : 0;
	if (!early.open_count)
		return due;
	early.open_sum = sum_of_weights(&early);
	given = share_out(&early, due, UINT16_MAX);
	account->settled += given;
	drop_until(account, early.open_count, time);
	return due > given ? due - given : 0;
}

void account_share(struct account *account, struct record_sample *rest)
{
	for (size_t i = 0; i < account->open_count; i++)
		account->open[i].rest = rest;
}

void account_accept(struct account *account)
{
	close_all(account, account->open_sum);
	account_forget(account);
}

void account_forget(struct account *account)
{
	account->last = NULL;
}

void account_move(struct account *from, struct account *to)
{
	for (size_t i = 0; i < from->open_count; i++)
		add(to, &from->open[i]);
	to->settled += from->settled;
	account_free(from);
}

void account_free(struct account *account)
{
	free(account->open);
	*account = (struct account){ 0 };
}
