/* SPDX-License-Identifier: MIT */
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "profile_arcs.h"
#include "profile_nodes.h"
#include "profile_resolve.h"
#include "sampled.h"
#include "symbol/debuginfod.h"

/* Progress is reported after this many: often enough, though each may open a file and read it. */
#define SAMPLES_A_STEP 256

/* Samples of sums that are kept one by one; a sum beyond is kept as one sample. */
#define KEPT_OF_SUMS 1000000

/* State of reading samples. */
struct reading {
	struct profile *profile;
	const struct reader *reader;
	const struct profile_filter *filter;
	struct sampled sampled;
	struct profile_resolving resolving;
	struct hash threads;                  /* process and tid -> index in profile.threads */
	uint64_t from, until;                 /* ticks that the filter selects */
	const struct sampled_process *frames; /* of samples of the current segment */
	const struct maps_process *process;   /* of the current segment */
	uint64_t done, whole;                 /* samples; the latter if progress is reported */
};

bool profile_exists(const struct reader *reader)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			if (item->kind == RECORD_SAMPLER || item->kind == RECORD_SAMPLES ||
			    item->kind == RECORD_SUMS)
				return true;
	}
	return false;
}

static uint64_t count_samples(const struct reader *reader)
{
	uint64_t count = 0;

	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			if (item->kind == RECORD_SAMPLES)
				count += ((const struct record_samples *)item)->count;
			else if (item->kind == RECORD_SUMS)
				count += ((const struct record_sums *)item)->count;
	}
	return count;
}

static bool is_paused(const struct record_sample *sample)
{
	return (sample->frame & ~RECORD_SAMPLE_BLOCKED) == RECORD_SAMPLE_PAUSED;
}

static void add_item(struct profile_amount *sum, const struct record_item *item)
{
	const struct record_samples *samples = (const struct record_samples *)item;
	const struct record_sums *sums = (const struct record_sums *)item;

	for (uint32_t i = 0; item->kind == RECORD_SUMS && i < sums->count; i++) {
		sum->samples += sums->sums[i].samples;
		sum->ns += sums->sums[i].ns;
	}
	if (item->kind != RECORD_SAMPLES)
		return;
	for (uint32_t i = 0; i < samples->count; i++) {
		if (is_paused(&samples->samples[i]))
			continue;
		sum->samples++;
		sum->ns += (uint64_t)samples->samples[i].weight * samples->weight_ns;
	}
}

const char *profile_title(const char *command)
{
	const char *first = strchr(command, '/'), *last = strrchr(command, '/');
	const char *colon = strstr(command, ": ");

	if (!first || (colon && colon < first) || !last[1])
		return command;
	return last + 1;
}

struct profile_amount profile_sum(const struct reader *reader)
{
	struct profile_amount sum = { 0 };

	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			add_item(&sum, item);
	}
	return sum;
}

/* A sample being read, or several of one stack. */
struct sample {
	uint32_t frame; /* of a record_sample */
	uint32_t thread;
	uint64_t time, ns;
	uint64_t count;
};

static void add_amount(struct profile_amount *amount, const struct sample *sample)
{
	amount->samples += sample->count;
	amount->ns += sample->ns;
}

/* Finds the number of the samples' thread. */
static int find_thread(struct reading *reading, uint32_t tid, const char *name, uint32_t *number,
		       struct err *err)
{
	struct profile *profile = reading->profile;
	uint64_t process = reading->process ? (uint64_t)(reading->process - profile->maps.processes)
					    : UINT32_MAX;
	uint32_t *place = hash_place(&reading->threads, process << 32 | tid);
	struct profile_thread *more;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(profile->threads, profile->thread_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		profile->threads = more;
		*place = (uint32_t)profile->thread_count++;
		profile->threads[*place] =
			(struct profile_thread){ .process = reading->process, .tid = tid };
	}
	*number = *place;
	profile->threads[*number].name = name;
	return 0;
}

/* Returns true if the filter selects samples of this thread. */
static bool wants_thread(const struct reading *reading, uint32_t tid, const char *name)
{
	const struct profile_filter *filter = reading->filter;
	uint64_t wanted;

	if (filter->pid && (!reading->process || reading->process->process->pid != filter->pid))
		return false;
	if (!filter->thread || strcmp(filter->thread, name) == 0)
		return true;
	return decimal_parse(filter->thread, UINT32_MAX, &wanted) && wanted == tid;
}

static void count_end(struct profile_totals *totals, const struct sample *sample,
		      const struct profile_stack *stack)
{
	if (stack->end == RECORD_STACK_TOO_DEEP)
		add_amount(&totals->truncated, sample);
	else if (stack->end == RECORD_STACK_BROKEN)
		add_amount(&totals->broken, sample);
	totals->has_stacks = totals->has_stacks || stack->has_callers;
}

static int keep_one(struct reading *reading, const struct sample *sample,
		    const struct profile_stack *stack, struct err *err)
{
	struct profile *profile = reading->profile;
	struct profile_sample *more =
		vec_room(profile->samples, profile->sample_count, sizeof(*more));
	uint64_t started = reading->reader->header.started.ticks;

	if (!more)
		return err_no_memory(err);
	profile->samples = more;
	profile->samples[profile->sample_count++] = (struct profile_sample){
		.time_ns = sample->time > started
				   ? timescale_ns(&profile->scale, (double)(sample->time - started))
				   : 0,
		.ns = sample->ns,
		.stack = (uint32_t)(stack - profile->stacks),
		.is_blocked = sample->frame & RECORD_SAMPLE_BLOCKED,
	};
	return 0;
}

/* Adds, up to the end of time. */
static uint64_t later(uint64_t time, uint64_t by)
{
	return time < UINT64_MAX - 1 - by ? time + by : UINT64_MAX - 1;
}

/* Keeps the samples of a sum one by one, as long as there are not too many. */
static int keep_samples(struct reading *reading, const struct sample *sample,
			const struct profile_stack *stack, struct err *err)
{
	size_t kept = reading->profile->sample_count;
	bool fits = kept < KEPT_OF_SUMS && sample->count <= KEPT_OF_SUMS - kept;
	uint64_t count = fits && sample->count ? sample->count : 1;
	struct sample one = *sample;
	uint64_t left = sample->ns;
	int status = 0;

	for (; count && !status; count--) {
		one.ns = left / count;
		status = keep_one(reading, &one, stack, err);
		left -= one.ns;
		one.time = later(one.time, one.ns);
	}
	return status;
}

static int take_sample(struct reading *reading, const struct sample *sample, struct err *err)
{
	struct profile_totals *totals = &reading->profile->totals;
	struct sampled_frame *frame =
		sampled_frame(reading->frames, sample->frame & ~RECORD_SAMPLE_BLOCKED);
	struct profile_resolve_place place = { .process = reading->process,
					       .frames = reading->frames,
					       .thread = sample->thread,
					       .time = sample->time };
	struct profile_stack *resolved = profile_resolve(&reading->resolving, frame, &place, err);

	if (!resolved)
		return -ENOMEM;
	if (sample->frame & RECORD_SAMPLE_BLOCKED)
		add_amount(&totals->blocked, sample);
	if (frame)
		count_end(totals, sample, resolved);
	else
		add_amount(&totals->stackless, sample);
	add_amount(&resolved->amount, sample);
	if (resolved->is_left_out)
		return 0;
	add_amount(&totals->kept, sample);
	return reading->filter->keep_samples ? keep_samples(reading, sample, resolved, err) : 0;
}

static void report_progress(struct reading *reading)
{
	const struct profile_progress *progress = reading->filter->progress;

	if (progress && reading->done++ % SAMPLES_A_STEP == 0)
		progress->step(progress->argument, reading->done, reading->whole);
}

/* Takes a sample if the filter selects its time. */
static int take_timely(struct reading *reading, const struct sample *sample, struct err *err)
{
	bool is_wanted = sample->time >= reading->from && sample->time < reading->until;

	return is_wanted ? take_sample(reading, sample, err) : 0;
}

static int take_samples(struct reading *reading, const struct record_samples *samples,
			struct err *err)
{
	struct profile_totals *totals = &reading->profile->totals;
	bool wanted = wants_thread(reading, samples->tid, samples->name);
	struct sample sample = { .time = samples->time, .count = 1 };
	uint64_t unit = UINT64_C(1) << samples->time_shift;
	int status = 0;

	if (samples->count == 0)
		return 0;
	if (wanted)
		status = find_thread(reading, samples->tid, samples->name, &sample.thread, err);
	for (uint32_t i = 0; i < samples->count && !status; i++) {
		uint64_t units = samples->samples[i].time;

		sample.frame = samples->samples[i].frame;
		sample.ns = (uint64_t)samples->samples[i].weight * samples->weight_ns;
		sample.time = units > UINT64_MAX / unit ? UINT64_MAX - 1
							: later(sample.time, units * unit);
		report_progress(reading);
		if (is_paused(&samples->samples[i])) {
			totals->paused_ns += sample.ns;
			continue;
		}
		add_amount(&totals->seen, &sample);
		if (wanted)
			status = take_timely(reading, &sample, err);
	}
	return status;
}

static int take_sums(struct reading *reading, const struct record_sums *sums, struct err *err)
{
	bool wanted = wants_thread(reading, sums->tid, sums->name);
	struct sample sample = { 0 };
	int status = 0;

	if (wanted && sums->count)
		status = find_thread(reading, sums->tid, sums->name, &sample.thread, err);
	for (uint32_t i = 0; i < sums->count && !status; i++) {
		const struct record_sum *sum = &sums->sums[i];

		sample.frame = sum->frame;
		sample.time = sum->time;
		sample.ns = sum->ns;
		sample.count = sum->samples;
		add_amount(&reading->profile->totals.seen, &sample);
		report_progress(reading);
		if (wanted)
			status = take_timely(reading, &sample, err);
	}
	return status;
}

static int take_segment(struct reading *reading, const struct sampled_segment *segment,
			struct err *err)
{
	const struct record_item *item = NULL;
	int status = 0;

	reading->frames = sampled_process(&reading->sampled, segment->owner);
	reading->process = segment->process;
	while (!status && (item = reader_next(segment->segment, item)))
		if (item->kind == RECORD_SAMPLES)
			status = take_samples(reading, (const struct record_samples *)item, err);
		else if (item->kind == RECORD_SUMS)
			status = take_sums(reading, (const struct record_sums *)item, err);
	return status;
}

/* Takes the run that begins at a segment, and goes on to the next. */
static int take_run(struct reading *reading, size_t *at, struct err *err)
{
	size_t end;
	int status = sampled_read(&reading->sampled, *at, &end, err);

	for (; *at < end && !status; ++*at)
		status = take_segment(reading, &reading->sampled.segments[*at], err);
	profile_resolving_clear(&reading->resolving);
	return status;
}

/* Converts an instant of the run, in seconds, to ticks of the recording's clock. */
static uint64_t ticks_at(const struct reading *reading, double seconds)
{
	double ticks = (double)reading->reader->header.started.ticks +
		       seconds * 1e9 / reading->profile->scale.ns_per_tick;

	return ticks < 1.8e19 ? (uint64_t)ticks : UINT64_MAX;
}

static int take_all(struct reading *reading, struct err *err)
{
	int status = sampled_open(&reading->sampled, reading->reader, &reading->profile->maps, err);

	reading->until = UINT64_MAX;
	if (reading->filter->progress)
		reading->whole = count_samples(reading->reader);
	if (reading->filter->has_time) {
		reading->from = ticks_at(reading, reading->filter->from_s);
		reading->until = ticks_at(reading, reading->filter->until_s);
	}
	for (size_t at = 0; at < reading->sampled.segment_count && !status;)
		status = take_run(reading, &at, err);
	sampled_close(&reading->sampled);
	hash_free(&reading->threads);
	return status ? status : profile_nodes_finish(reading->profile, err);
}

static int init(struct profile *profile, const struct reader *reader, struct profile_filter *filter,
		struct err *err)
{
	struct functions_choice choice = {
		.focus = filter->focus.count ? &filter->focus : NULL,
		.ignore = filter->ignore.count ? &filter->ignore : NULL,
		.hide = filter->hide.count ? &filter->hide : NULL,
	};
	struct functions_style style = { .mangled = filter->mangled,
					 .no_inline = filter->no_inline,
					 .lines = filter->lines,
					 .tiers = filter->tiers };
	int status = functions_init(&profile->functions, &choice, &style,
				    reader->header.started_unix_ns, err);

	if (!status)
		status = symbolizer_carry(&profile->functions.symbolizer, reader)
				 ? err_no_memory(err)
				 : 0;
	profile->functions.symbolizer.new_archive = filter->new_archive;
	profile->functions.symbolizer.debuginfod = filter->debuginfod;
	if (!status)
		status = maps_read(&profile->maps, reader, err);
	if (!status)
		status = frames_init(&profile->resolver, &profile->functions, &profile->maps, err);
	if (!status)
		status = profile_nodes_init(profile, err);
	if (!status)
		status = profile_regions_init(&profile->regions, &filter->regions, err);
	return status;
}

int profile_read(struct profile *profile, const struct reader *reader,
		 struct profile_filter *filter, struct err *err)
{
	struct reading reading = { .profile = profile,
				   .reader = reader,
				   .filter = filter,
				   .resolving = { .profile = profile,
						  .scripts = filter->scripts } };
	int status;

	*profile = (struct profile){ .scale = timescale_of(&reader->header) };
	status = init(profile, reader, filter, err);
	if (!status)
		status = take_all(&reading, err);
	if (!status && filter->arcs)
		status = profile_arcs_read(profile, reader, filter, err);
	if (!status)
		status = profile_count(profile, reader, err);
	if (status)
		profile_free(profile);
	return status;
}

void profile_free(struct profile *profile)
{
	frames_fini(&profile->resolver);
	maps_free(&profile->maps);
	functions_fini(&profile->functions);
	free(profile->threads);
	free(profile->stacks);
	profile_nodes_free(profile);
	profile_regions_fini(&profile->regions);
	free(profile->samples);
	free(profile->arcs);
	*profile = (struct profile){ 0 };
}

void profile_filter_fini(struct profile_filter *filter)
{
	spec_list_free(&filter->focus);
	spec_list_free(&filter->ignore);
	spec_list_free(&filter->hide);
	spec_list_free(&filter->regions);
	debuginfod_close(filter->debuginfod);
}
