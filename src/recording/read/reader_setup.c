/* SPDX-License-Identifier: MIT */
#include "reader.h"

/* Adds the times of one run; unknown if those of any are. */
static void add_setup(struct record_segment *sum, const struct record_segment *head)
{
	if (sum->cpu_ns && head->cpu_ns) {
		sum->cpu_ns += head->cpu_ns;
		sum->system_ns += head->system_ns;
	} else {
		sum->cpu_ns = sum->system_ns = 0;
	}
	if (head->tick_ns > sum->tick_ns)
		sum->tick_ns = head->tick_ns;
}

struct record_segment reader_setup(const struct reader *reader)
{
	struct record_segment sum = { 0 };

	for (size_t i = 0; i < reader->count; i++) {
		const struct reader_segment *segment = &reader->segments[i];

		if (segment->kind != RECORD_SETUP)
			continue;
		if (sum.mark)
			add_setup(&sum, (const struct record_segment *)segment->bytes);
		else
			sum = *(const struct record_segment *)segment->bytes;
	}
	return sum;
}

const struct record_event *reader_event(const struct reader *reader)
{
	const struct record_item *event = NULL;

	for (size_t i = 0; i < reader->count && !event; i++)
		if (reader->segments[i].kind == RECORD_SETUP)
			event = reader_find(&reader->segments[i], RECORD_EVENT);
	return (const struct record_event *)event;
}
