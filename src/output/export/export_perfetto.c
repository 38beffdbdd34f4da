/* SPDX-License-Identifier: MIT
 *
 * export_perfetto.c - Chrome's trace JSON, which Perfetto shows: slices that begin and end.
 *Perfetto does not show single samples in that format, so both kinds of output consist of slices:
 *
 *	usual		a thread's stacks, sorted and laid end to end: a flame graph
 *	timeline	a thread's samples when they were: a slice goes on while its function stays
 *			where it is on the stack
 *
 * In a timeline, slices end with arguments: their samples, and the time these stand for, which may
 * differ from the slice's duration. speedscope, which reads the format as well, takes functions
 *with different arguments for different ones; so a flame graph has none.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_common.h"
#include "output/table/json.h"

/* A slice that has begun. */
struct slice {
	uint32_t function;
	struct profile_amount amount;
};

/* A stack, and from when to when it was there. */
struct span {
	const struct profile_stack *stack;
	struct profile_amount amount;
	uint64_t begin, end; /* nanoseconds since the start */
};

/* Slices of one thread while they are written. */
struct track {
	const struct profile *profile;
	const struct profile_thread *thread;
	FILE *out;
	bool has_amounts;
	struct slice *slices; /* that have begun, from the outermost on */
	size_t depth, room;
	uint64_t end; /* of the last span */
};

/* Writes the beginning or the end of a slice, up to its arguments. */
static void write_event(const struct track *track, char phase, uint32_t function, uint64_t ns)
{
	const struct function *it = &track->profile->functions.list[function];

	fprintf(track->out,
		",\n{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64
		".%03" PRIu64,
		phase, export_process(track->thread), track->thread->tid, ns / 1000, ns % 1000);
	fputs(",\"cat\":", track->out);
	json_write_string(it->object, track->out);
	fputs(",\"name\":", track->out);
	json_write_string(it->name, track->out);
}

static void close_to(struct track *track, size_t depth)
{
	while (track->depth > depth) {
		const struct slice *slice = &track->slices[--track->depth];

		write_event(track, 'E', slice->function, track->end);
		if (track->has_amounts)
			fprintf(track->out,
				",\"args\":{\"samples\":%" PRIu64 ",\"%s\":%" PRIu64 "}",
				slice->amount.samples,
				track->profile->totals.event ? "events" : "ns", slice->amount.ns);
		putc('}', track->out);
	}
}

static void open_slice(struct track *track, uint32_t function, uint64_t begin)
{
	const struct function *it = &track->profile->functions.list[function];

	track->slices[track->depth++] = (struct slice){ .function = function };
	write_event(track, 'B', function, begin);
	if (it->is_script) {
		fputs(",\"args\":{\"file\":", track->out);
		json_write_string(it->file->path, track->out);
		fprintf(track->out, ",\"line\":%" PRIu64 "}", it->start);
	}
	putc('}', track->out);
}

static int make_room(struct track *track, uint32_t depth, struct err *err)
{
	struct slice *more;

	if (depth <= track->room)
		return 0;
	more = realloc(track->slices, depth * sizeof(*more));
	if (!more)
		return err_no_memory(err);
	track->slices = more;
	track->room = depth;
	return 0;
}

/* Continues the slices that the span shares with the open ones, unless there is a gap. */
static int add_span(struct track *track, const struct span *span, struct err *err)
{
	const struct profile_stack *stack = span->stack;
	size_t same = 0;

	if (make_room(track, stack->depth, err))
		return -ENOMEM;
	while (span->begin == track->end && same < track->depth && same < stack->depth &&
	       track->slices[same].function ==
		       profile_function(track->profile, stack, stack->depth - 1 - (uint32_t)same))
		same++;
	close_to(track, same);
	while (track->depth < stack->depth)
		open_slice(track,
			   profile_function(track->profile, stack,
					    stack->depth - 1 - (uint32_t)track->depth),
			   span->begin);
	for (size_t i = 0; i < track->depth; i++) {
		track->slices[i].amount.samples += span->amount.samples;
		track->slices[i].amount.ns += span->amount.ns;
	}
	track->end = span->end;
	return 0;
}

/* An event happens at an instant, which needs a width to be seen. */
#define INSTANT_NS 1000

/* Returns the time before the sample. A difference to the previous one is a gap only if it exceeds
 * half of that time: clocks are not that exact. */
static struct span span_of(const struct track *track, const struct profile_sample *sample)
{
	uint64_t ns = track->profile->totals.event ? INSTANT_NS : sample->ns;
	struct span span = { .stack = &track->profile->stacks[sample->stack],
			     .amount = { .samples = 1, .ns = sample->ns },
			     .begin = sample->time_ns > ns ? sample->time_ns - ns : 0,
			     .end = sample->time_ns };

	if (span.begin < track->end + ns / 2)
		span.begin = track->end;
	if (span.end < span.begin)
		span.end = span.begin;
	return span;
}

static int write_timeline(struct track *track, const uint32_t *order, size_t count, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++) {
		struct span span = span_of(track, &track->profile->samples[order[i]]);

		status = add_span(track, &span, err);
	}
	return status;
}

static int write_flames(struct track *track, const uint32_t *order, size_t count, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < count && !status; i++) {
		const struct profile_stack *stack = &track->profile->stacks[order[i]];
		struct span span = { .stack = stack,
				     .amount = stack->amount,
				     .begin = track->end,
				     .end = track->end + stack->amount.ns };

		status = add_span(track, &span, err);
	}
	return status;
}

/* Writes the names of a thread and its process; the first without a leading comma. */
static void write_names(const struct track *track, bool is_first)
{
	const struct profile_thread *thread = track->thread;

	fprintf(track->out,
		"%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32
		",\"args\":{\"name\":",
		is_first ? "" : ",", export_process(thread), thread->tid);
	json_write_string(export_process_title(thread), track->out);
	fprintf(track->out,
		"}},\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32
		",\"args\":{\"name\":",
		export_process(thread), thread->tid);
	json_write_string(thread->name, track->out);
	fputs("}}", track->out);
}

/* The data to write: samples or stacks, by thread. */
struct plan {
	const struct export_source *source;
	uint32_t *order;
	size_t count;
	uint64_t *ends;     /* of each thread */
	uint32_t *previous; /* the same thread before exec(), where it continues; HASH_NONE: none */
};

/* Compares by process and tid, and then by number. */
static int by_identity(const void *left, const void *right, void *argument)
{
	uint32_t numbers[] = { *(const uint32_t *)left, *(const uint32_t *)right };
	const struct profile *profile = argument;
	const struct profile_thread *a = &profile->threads[numbers[0]];
	const struct profile_thread *b = &profile->threads[numbers[1]];
	uint64_t processes[] = { export_process(a), export_process(b) };

	if (processes[0] != processes[1])
		return processes[0] < processes[1] ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1]);
}

/* Finds what each thread continues. Returns NULL without memory; free with free(). */
static uint32_t *find_previous(const struct profile *profile)
{
	uint32_t *previous = calloc(profile->thread_count + 1, sizeof(*previous));
	uint32_t *sorted = calloc(profile->thread_count + 1, sizeof(*sorted));

	for (size_t i = 0; sorted && i < profile->thread_count; i++)
		sorted[i] = (uint32_t)i;
	if (previous && sorted)
		qsort_r(sorted, profile->thread_count, sizeof(*sorted), by_identity,
			(void *)profile);
	for (size_t i = 0; previous && sorted && i < profile->thread_count; i++) {
		const struct profile_thread *thread = &profile->threads[sorted[i]];
		const struct profile_thread *before = i ? &profile->threads[sorted[i - 1]] : NULL;
		bool is_same = before && before->tid == thread->tid &&
			       export_process(before) == export_process(thread);

		previous[sorted[i]] = is_same ? sorted[i - 1] : HASH_NONE;
	}
	if (!sorted) {
		free(previous);
		previous = NULL;
	}
	free(sorted);
	return previous;
}

static uint32_t thread_at(const struct plan *plan, size_t place)
{
	const struct profile *profile = plan->source->profile;
	uint32_t number = plan->order[place];

	if (plan->source->is_timeline)
		number = profile->samples[number].stack;
	return profile->stacks[number].thread;
}

static int write_thread(const struct plan *plan, size_t first, size_t count, FILE *out,
			struct err *err)
{
	const struct profile *profile = plan->source->profile;
	uint32_t number = thread_at(plan, first), previous = plan->previous[number];
	struct track track = { .profile = profile,
			       .thread = &profile->threads[number],
			       .out = out,
			       .has_amounts = plan->source->is_timeline,
			       .end = previous == HASH_NONE ? 0 : plan->ends[previous] };
	const uint32_t *order = plan->order + first;
	int status;

	write_names(&track, first == 0);
	status = plan->source->is_timeline ? write_timeline(&track, order, count, err)
					   : write_flames(&track, order, count, err);
	close_to(&track, 0);
	plan->ends[number] = track.end;
	free(track.slices);
	return status;
}

static int write_threads(const struct plan *plan, FILE *out, struct err *err)
{
	size_t end;
	int status = 0;

	for (size_t i = 0; i < plan->count && !status; i = end) {
		for (end = i + 1; end < plan->count; end++)
			if (thread_at(plan, end) != thread_at(plan, i))
				break;
		status = write_thread(plan, i, end - i, out, err);
	}
	return status;
}

int export_perfetto(const struct export_source *source, FILE *out, struct err *err)
{
	const struct profile *profile = source->profile;
	struct plan plan = { .source = source,
			     .count = profile->sample_count,
			     .ends = calloc(profile->thread_count + 1, sizeof(*plan.ends)),
			     .previous = find_previous(profile) };
	int status;

	plan.order = source->is_timeline ? export_in_order(profile, true)
					 : export_sorted_stacks(profile, &plan.count);
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
	status = plan.order && plan.ends && plan.previous ? write_threads(&plan, out, err)
							  : err_no_memory(err);
	fputs("\n]}\n", out);
	free(plan.previous);
	free(plan.order);
	free(plan.ends);
	return status;
}
