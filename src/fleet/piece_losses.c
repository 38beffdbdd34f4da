/* SPDX-License-Identifier: MIT */
#include "piece_losses.h"

#include <stdlib.h>

static void add_samplers(struct piece_losses *losses, const struct reader_segment *segment)
{
	const struct record_item *item = NULL;

	while ((item = reader_next(segment, item))) {
		const struct record_sampler *sampler = (const struct record_sampler *)item;

		if (item->kind != RECORD_SAMPLER)
			continue;
		losses->samples += sampler->lost;
		losses->samples_ns += sampler->lost_ns;
		losses->unwatched_ns += sampler->unwatched_ns + sampler->unsampled_ns;
	}
}

static void add_calls(struct piece_losses *losses, const struct record_process *process)
{
	losses->calls += process->lost_calls;
	losses->threads += process->lost_threads;
	losses->functions += process->lost_functions;
}

struct piece_losses *piece_losses_find(const struct reader *reader, const struct runs *runs)
{
	struct piece_losses *list = calloc(runs->count + 1, sizeof(*list));

	for (size_t i = 0; list && i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		bool is_process = segment->kind == RECORD_PROCESS;
		const struct reader_segment *process =
			is_process ? segment : reader_segment_at(reader, segment->owner);
		uint32_t run =
			process && process->kind == RECORD_PROCESS ? runs_find(runs, process) : 0;

		add_samplers(&list[run], segment);
		if (is_process)
			add_calls(&list[run], reader_process(segment));
	}
	return list;
}
