/* SPDX-License-Identifier: MIT
 *
 * export_speedscope.c - speedscope's own format: one profile per thread, with samples by time.
 * Neighbours with the same stack are merged, which looks the same and is smaller.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "export_common.h"
#include "output/table/json.h"

/* Samples of one thread, in order. */
struct run {
	const struct export_source *source;
	const uint32_t *order;
	size_t count;
};

static const struct profile_sample *sample_at(const struct run *run, size_t place)
{
	return &run->source->profile->samples[run->order[place]];
}

static uint64_t weight_of(const struct export_source *source, const struct profile_sample *sample)
{
	struct profile_amount one = { .samples = 1, .ns = sample->ns };

	return export_amount(source, &one, EXPORT_UNIT_NS);
}

/* Returns how many samples from a place on have the same stack, and their weight. */
static size_t same_from(const struct run *run, size_t place, uint64_t *weight)
{
	size_t end = place;

	*weight = 0;
	while (end < run->count && sample_at(run, end)->stack == sample_at(run, place)->stack)
		*weight += weight_of(run->source, sample_at(run, end++));
	return end - place;
}

static void write_stack(const struct profile *profile, const struct profile_stack *stack, FILE *out)
{
	putc('[', out);
	for (uint32_t i = stack->depth; i > 0; i--)
		fprintf(out, "%s%" PRIu32, i < stack->depth ? "," : "",
			profile_function(profile, stack, i - 1));
	putc(']', out);
}

static void write_samples(const struct run *run, FILE *out)
{
	const struct profile *profile = run->source->profile;
	uint64_t weight, sum = 0;

	fputs("\"samples\":[", out);
	for (size_t i = 0; i < run->count; i += same_from(run, i, &weight)) {
		fputs(i ? ",\n" : "\n", out);
		write_stack(profile, &profile->stacks[sample_at(run, i)->stack], out);
	}
	fputs("],\n\"weights\":[", out);
	for (size_t i = 0; i < run->count;) {
		size_t count = same_from(run, i, &weight);

		fprintf(out, "%s%" PRIu64, i ? "," : "", weight);
		sum += weight;
		i += count;
	}
	fprintf(out, "],\n\"startValue\":0,\"endValue\":%" PRIu64 "}", sum);
}

static void write_thread(const struct run *run, FILE *out)
{
	const struct export_source *source = run->source;
	const struct profile_thread *thread =
		&source->profile->threads[source->profile->stacks[sample_at(run, 0)->stack].thread];
	char *name;

	if (asprintf(&name, "%s %" PRIu64 "/%" PRIu64, thread->name, export_process(thread),
		     export_thread(thread)) < 0)
		name = NULL;
	fputs("{\"type\":\"sampled\",\"name\":", out);
	json_write_string(name ? name : thread->name, out);
	fprintf(out, ",\"unit\":\"%s\",\n",
		source->unit == EXPORT_UNIT_SAMPLES || source->profile->totals.event
			? "none"
			: "nanoseconds");
	write_samples(run, out);
	free(name);
}

/* Writes one frame per function, in order. */
static void write_frames(const struct profile *profile, const char **sources, FILE *out)
{
	for (size_t i = 0; i < profile->functions.count; i++) {
		const struct function *function = &profile->functions.list[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
		json_write_string(function->name, out);
		fputs(",\"file\":", out);
		json_write_string(sources[i] ? sources[i] : function->object, out);
		if (function->is_script)
			fprintf(out, ",\"line\":%" PRIu64, function->start);
		putc('}', out);
	}
}

static void write_threads(const struct export_source *source, const uint32_t *order, FILE *out)
{
	const struct profile *profile = source->profile;
	struct run run = { .source = source, .order = order };

	for (size_t left = profile->sample_count; left; left -= run.count) {
		uint32_t thread = profile->stacks[profile->samples[*run.order].stack].thread;

		for (run.count = 1; run.count < left; run.count++)
			if (profile->stacks[sample_at(&run, run.count)->stack].thread != thread)
				break;
		fputs(run.order == order ? "\n" : ",\n", out);
		write_thread(&run, out);
		run.order += run.count;
	}
}

int export_speedscope(const struct export_source *source, FILE *out, struct err *err)
{
	uint32_t *order = export_in_order(source->profile, true);
	const char **sources = export_sources(source->profile);

	if (!order || !sources) {
		free(order);
		free(sources);
		return err_no_memory(err);
	}
	fputs("{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\n"
	      "\"exporter\":\"dwell\",\"name\":",
	      out);
	json_write_string(source->reader->header.command, out);
	fputs(",\"activeProfileIndex\":0,\n\"shared\":{\"frames\":[", out);
	write_frames(source->profile, sources, out);
	fputs("]},\n\"profiles\":[", out);
	write_threads(source, order, out);
	fputs("]}\n", out);
	free(order);
	free(sources);
	return 0;
}
