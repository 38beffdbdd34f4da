/* SPDX-License-Identifier: MIT
 *
 * export_perf_script.c - samples in the format of `perf script`, which many tools read: a line with
 * thread, time, period and event, a line per frame from the innermost on, and an empty line.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "export_common.h"
#include "export_places.h"

static void write_text(const char *text, FILE *out)
{
	for (; *text; text++)
		putc((unsigned char)*text < ' ' ? ' ' : *text, out);
}

/* Writes a frame. An inlined one has no address of its own: perf prints that of the instruction,
 * and marks it. */
static void write_frame(const struct profile *profile, const struct frame *frame, uint64_t place,
			bool is_inlined, FILE *out)
{
	const struct function *function = &profile->functions.list[frame->function];

	fprintf(out, "\t%16" PRIx64 " ", place);
	write_text(function->name, out);
	if (is_inlined) {
		fputs(" (inlined)\n", out);
		return;
	}
	if (function->is_script) {
		fputs(" (", out);
		write_text(function->file->path, out);
		fprintf(out, ":%" PRIu64 ")\n", frame->line ? frame->line : function->start);
		return;
	}
	fprintf(out, "+0x%" PRIx64 " (",
		frame->address >= function->start ? frame->address - function->start : 0);
	write_text(frame->map ? frame->map->path : "[unknown]", out);
	fputs(")\n", out);
}

static void write_sample(const struct profile *profile, const struct profile_sample *sample,
			 struct export_places *places, FILE *out)
{
	const struct profile_stack *stack = &profile->stacks[sample->stack];
	const struct profile_thread *thread = &profile->threads[stack->thread];
	const uint32_t *frames = profile_frames(profile, stack);
	uint32_t count;

	write_text(*thread->name ? thread->name : "?", out);
	fprintf(out, " %7" PRIu64 "/%-7" PRIu64 " %5" PRIu64 ".%09" PRIu64 ": %10" PRIu64 " %s: \n",
		export_process(thread), export_thread(thread), sample->time_ns / 1000000000,
		sample->time_ns % 1000000000, sample->ns,
		profile->totals.event     ? profile->totals.event
		: profile->totals.is_wall ? "wall-clock"
					  : "cpu-clock");
	for (uint32_t i = 0; i < stack->depth; i += count) {
		count = export_inlined(profile, stack, i);
		for (uint32_t j = 0; j < count; j++) {
			const struct frame *frame = profile_frame(profile, frames[i + j]);

			write_frame(profile, frame, export_place(places, thread->process, frame),
				    j + 1 < count, out);
		}
	}
	putc('\n', out);
}

int export_perf_script(const struct export_source *source, FILE *out, struct err *err)
{
	const struct profile *profile = source->profile;
	uint32_t *order = export_in_order(profile, false);
	struct export_places places = { 0 };

	if (!order)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->sample_count; i++)
		write_sample(profile, &profile->samples[order[i]], &places, out);
	export_places_free(&places);
	free(order);
	return 0;
}
