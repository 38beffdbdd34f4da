/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "profile_resolve.h"

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = list; (at = strstr(at, word)); at += length)
		if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ','))
			return true;
	return false;
}

/* Adds the name of a clock that is not in the list yet. */
static void name_clock(char *list, size_t size, const char *clock)
{
	size_t used = strlen(list);

	if (!*clock || has_word(list, clock) || used + 2 + strlen(clock) >= size)
		return;
	if (used)
		strcat(list, ", ");
	strcat(list, clock);
}

static void add_slowed(struct profile_totals *totals, const struct record_sampler *sampler)
{
	double hz = (double)sampler->hz / (double)(UINT32_C(1) << sampler->slowest);

	if (!sampler->slowest)
		return;
	totals->slowed_ns += sampler->slowed_ns;
	if (totals->lowest_hz == 0 || hz < totals->lowest_hz)
		totals->lowest_hz = hz;
}

static void add_sampler(struct profile_totals *totals, const struct record_sampler *sampler)
{
	totals->lost.samples += sampler->lost;
	totals->lost.ns += sampler->lost_ns;
	totals->unwatched_ns += sampler->unwatched_ns + sampler->unsampled_ns;
	totals->coarse_ns += sampler->coarse_ns;
	totals->lost_regions += sampler->lost_regions;
	totals->is_wall = totals->is_wall || sampler->is_wall;
	if (sampler->hz > totals->hz)
		totals->hz = sampler->hz;
	add_slowed(totals, sampler);
	if (sampler->refused)
		totals->refused++;
	else
		name_clock(totals->clocks, sizeof(totals->clocks), sampler->clock);
}

static void add_interpreter(struct profile_totals *totals,
			    const struct record_interpreter *interpreter)
{
	if (interpreter->state != RECORD_INTERPRETER_UNKNOWN)
		return;
	totals->has_unknown = true;
	totals->unknown_language = interpreter->language;
	totals->unknown_version = interpreter->version;
}

static void add_items(struct profile_totals *totals, const struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			if (item->kind == RECORD_SAMPLER)
				add_sampler(totals, (const struct record_sampler *)item);
			else if (item->kind == RECORD_INTERPRETER)
				add_interpreter(totals, (const struct record_interpreter *)item);
	}
}

static int by_number(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* Returns how many of the numbers are distinct. */
static size_t count_distinct(uint64_t *numbers, size_t count)
{
	size_t distinct = 0;

	qsort(numbers, count, sizeof(*numbers), by_number);
	for (size_t i = 0; i < count; i++)
		distinct += i == 0 || numbers[i] != numbers[i - 1];
	return distinct;
}

/* Counts by pid and machine, so that a process that has called exec(), or is in several runs, is
 * one. */
int profile_count(struct profile *profile, const struct reader *reader, struct err *err)
{
	struct profile_totals *totals = &profile->totals;
	uint64_t *pids = calloc(profile->thread_count + 1, sizeof(*pids));
	uint64_t *tids = calloc(profile->thread_count + 1, sizeof(*tids));
	struct record_segment setup = reader_setup(reader);
	const struct record_event *event = reader_event(reader);

	if (!pids || !tids) {
		free(pids);
		free(tids);
		return err_no_memory(err);
	}
	add_items(totals, reader);
	totals->tick_ns = setup.tick_ns;
	totals->event = event ? event->text : NULL;
	if (!totals->is_wall && !event && !(reader->header.flags & RECORD_NO_FOLLOW)) {
		totals->cpu_ns = setup.cpu_ns;
		totals->system_ns = setup.system_ns;
	}
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = &profile->threads[i];

		pids[i] = profile_process_number(thread->process);
		tids[i] = hash_bytes(hash_bytes(0, &pids[i], sizeof(pids[i])), &thread->tid,
				     sizeof(thread->tid));
	}
	totals->processes = count_distinct(pids, profile->thread_count);
	totals->threads = count_distinct(tids, profile->thread_count);
	free(pids);
	free(tids);
	return 0;
}
