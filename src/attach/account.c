/* SPDX-License-Identifier: MIT */
#include "attach/account.h"

#include <errno.h>
#include <stdlib.h>

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
	struct account_open open = { .sample = sample };
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
		open->sample->weight = (uint16_t)whole;
		given += whole;
	}
	DWELL_ASSERT(given == sum_of_weights(account));
	return given;
}

static void close_all(struct account *account, uint64_t given)
{
	account->settled += given;
	account->open_count = 0;
	account->open_sum = 0;
}

void account_wait(struct account *account, uint64_t time)
{
	if (account->open_count)
		account->open[account->open_count - 1].pull += silence(account, time, 0);
}

void account_settle(struct account *account, uint64_t used, double limit, bool is_last)
{
	uint64_t due = used > account->settled ? used - account->settled : 0;

	if (!account->open_count || (due < account->open_sum / 2 && !is_last))
		return;
	close_all(account, share_out(account, due, limit));
}

void account_accept(struct account *account)
{
	close_all(account, account->open_sum);
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
