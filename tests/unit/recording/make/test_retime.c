/* SPDX-License-Identifier: MIT
 *
 * test_retime.c - a recording on another clock: the order of instants stays, counts and weights do
 * not change, and durations are off by no more than their bins are wide.
 */
#include <math.h>

#include "../../random64.h"
#include "../../recordings.h"
#include "recording/make/retime.h"

static struct reader read_back(struct recording *recording)
{
	struct reader reader;
	struct err err;

	if (reader_open(&reader, recording_file(recording, recording->size), &err))
		bail_out(err.text);
	return reader;
}

static const struct record_item *find(const struct reader *reader, uint32_t kind)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = reader_find(&reader->segments[i], kind);

		if (item)
			return item;
	}
	bail_out("an item is not there");
}

static void instants(void)
{
	struct retime retime = { .from = 1000, .to = 500000, .factor = 0.4 };
	uint64_t state = 5, before = 0, at = 0;
	bool is_ordered = true;

	ok(retime_instant(&retime, 1000) == 500000 && retime_instant(&retime, 2000) == 500400 &&
		   retime_instant(&retime, 0) >= 499599 && retime_instant(&retime, 0) <= 499600,
	   "instants are relative to one that is the same on both clocks");
	ok(retime_instant(&retime, 1002) == 500000 && retime_instant(&retime, 1003) == 500001,
	   "they are rounded down");
	for (int i = 0; i < 100000; i++) {
		uint64_t time;

		at += random64_below(&state, 1 << (i % 20));
		time = retime_instant(&retime, at);
		is_ordered = is_ordered && time >= before;
		before = time;
	}
	ok(is_ordered, "a later one is never an earlier one");
	retime.to = 10;
	ok(retime_instant(&retime, 0) == 1, "none is before all");
	ok(retime_instant(&retime, UINT64_MAX) <= UINT64_C(1) << 62, "none is beyond all");
	ok(retime_duration(&retime, 10) == 4 && retime_duration(&retime, 9) == 4 &&
		   retime_duration(&retime, UINT64_MAX) == UINT64_MAX,
	   "durations are rounded to the nearest, and none is none");
}

/* Returns the time of the last sample. */
static uint64_t last_time(const struct record_samples *samples)
{
	uint64_t time = samples->time;

	for (uint32_t i = 0; i < samples->count; i++)
		time += (uint64_t)samples->samples[i].time << samples->time_shift;
	return time;
}

/* Converts samples with gaps of all sizes. */
static void samples_by(double factor)
{
	enum { COUNT = 1000 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0), state = 9, times[COUNT],
		 time = 50000;
	struct retime retime = { .from = 1000, .to = UINT64_C(1) << 50, .factor = factor };
	const struct record_samples *old, *new;
	struct record_samples *samples;
	struct reader reader, before;
	bool is_near = true;
	struct err err;

	recording_thread(&recording, process, 42);
	samples = recording_samples(&recording, 42, "main", 50000, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		time += random64_below(&state, UINT64_C(1) << (i % 25));
		recording_sample(samples, i, 1000 * (i % 60000 + 1), time);
	}
	before = read_back(&recording);
	reader = read_back(&recording);
	old = (const struct record_samples *)find(&before, RECORD_SAMPLES);
	time = old->time;
	for (uint32_t i = 0; i < COUNT; i++)
		times[i] = time += (uint64_t)old->samples[i].time << old->time_shift;
	if (retime_segments(&reader, &retime, &err))
		bail_out(err.text);
	new = (const struct record_samples *)find(&reader, RECORD_SAMPLES);
	time = new->time;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint64_t exact = retime_instant(&retime, times[i]);

		time += (uint64_t) new->samples[i].time << new->time_shift;
		is_near = is_near && time <= exact &&
			  exact - time < UINT64_C(1) << new->time_shift &&new->samples[i].weight ==
				  old->samples[i].weight &&new->samples[i].frame ==
				  old->samples[i].frame;
	}
	ok(is_near && new->weight_ns == old->weight_ns &&new->count == COUNT,
	   "by %g: samples keep frame and weight; their time is rounded down to one unit", factor);
	ok((double)(UINT64_C(1) << new->time_shift) <=
			   2.01 * factor * (1 << RECORDING_TIME_SHIFT) ||
		   new->time_shift == 0,
	   "by %g: the unit is no more than twice as long: 2^%u", factor, new->time_shift);
	ok(last_time(new) <= retime_instant(&retime, last_time(old)), "errors do not add up");
	reader_close(&before);
	reader_close(&reader);
	recording_free(&recording);
}

/* Rounding adds to the longest gap that fits, which then does not any more. */
static void longest_gap(void)
{
	static const uint64_t units[] = { 65000, 80000, 80000 + UINT16_MAX };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0), exact;
	struct retime retime = { .from = 1000, .to = UINT64_C(1) << 50, .factor = 1.000007 };
	const struct record_samples *new;
	struct record_samples *samples;
	struct reader reader;
	struct err err;

	recording_thread(&recording, process, 42);
	samples = recording_samples(&recording, 42, "main", 1000, 3);
	for (int i = 0; i < 3; i++)
		recording_sample(samples, 0, 1000, 1000 + (units[i] << RECORDING_TIME_SHIFT));
	exact = retime_instant(&retime, 1000 + (units[2] << RECORDING_TIME_SHIFT));
	reader = read_back(&recording);
	if (retime_segments(&reader, &retime, &err))
		bail_out(err.text);
	new = (const struct record_samples *)find(&reader, RECORD_SAMPLES);
	ok(exact - last_time(new) < UINT64_C(1) << new->time_shift, "the longest gap fits");
	reader_close(&reader);
	recording_free(&recording);
}

static uint64_t sum_of_bins(const struct reader *reader, double *sum)
{
	uint64_t count = 0;

	*sum = 0;
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item))) {
			const struct record_octave *octave = (const struct record_octave *)item;
			uint32_t bins = octave->octave ? RECORD_BINS : 2 * RECORD_BINS;

			if (item->kind != RECORD_OCTAVE)
				continue;
			for (uint32_t bin = 0; bin < bins; bin++) {
				double width = (double)(UINT64_C(1) << octave->octave);
				double low = octave->octave ? (RECORD_BINS + bin) * width : bin;

				count += octave->bins[bin];
				*sum += (double)octave->bins[bin] * (low + (width - 1) / 2);
			}
		}
	}
	return count;
}

static void calls_by(double factor)
{
	enum { COUNT = 3000 };
	static uint64_t durations[COUNT];
	struct recording recording = recording_new(0);
	uint64_t process, state = 3, count, new_count;
	struct retime retime = { .from = 1000, .to = 5000000, .factor = factor };
	const struct record_calls *old, *new;
	struct reader reader, before;
	double sum, new_sum;
	struct err err;

	for (size_t i = 0; i < COUNT; i++)
		durations[i] = 1000 + random64_below(&state, UINT64_C(1) << (10 + i % 20));
	process = recording_process(&recording, 42, 0);
	recording_thread(&recording, process, 42);
	recording_calls(&recording, 0, RECORD_NO_CALLER, durations, COUNT, 0)->self = -1000;
	before = read_back(&recording);
	reader = read_back(&recording);
	if (retime_segments(&reader, &retime, &err))
		bail_out(err.text);
	old = (const struct record_calls *)find(&before, RECORD_CALLS);
	new = (const struct record_calls *)find(&reader, RECORD_CALLS);
	ok(new->calls == old->calls &&new->returned == old->returned &&new->weight ==
		   old->weight &&new->squares == old->squares,
	   "by %g: calls are counted as before", factor);
	ok(fabs((double)new->sum - (double)old->sum *factor) <= 1 &&
		   fabs((double)new->min - (double)old->min *factor) <= 1 &&
		   fabs((double)new->max - (double)old->max *factor) <= 1 &&
		   fabs((double)new->last - (double)old->last *factor) <= 1 &&
		   new->self == -(int64_t)(1000 * factor + 0.5),
	   "by %g: their times are converted, and negative ones", factor);
	count = sum_of_bins(&before, &sum);
	new_count = sum_of_bins(&reader, &new_sum);
	ok(count == COUNT - 1 && new_count == count, "by %g: every duration is in a bin", factor);
	ok(fabs(new_sum - sum * factor) <= 0.032 * sum * factor,
	   "by %g: bins are where their durations are: %g of %g", factor, new_sum, sum * factor);
	ok(reader_process(&reader.segments[1])->inside == (uint64_t)(20 * factor + 0.5),
	   "by %g: so is the overhead", factor);
	reader_close(&before);
	reader_close(&reader);
	recording_free(&recording);
}

/* Octaves of one function from several items become one each, and of two functions two. */
static void octaves(void)
{
	static const uint64_t durations[] = { 100, 120, 5, 60 };
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct retime retime = { .from = 1000, .to = 5000000, .factor = 0.5 };
	struct reader reader;
	size_t count = 0;
	uint64_t sum = 0;
	struct err err;

	recording_thread(&recording, process, 42);
	for (uint32_t function = 0; function < 2; function++)
		recording_calls(&recording, function, 0, durations, 4, 1);
	reader = read_back(&recording);
	if (retime_segments(&reader, &retime, &err))
		bail_out(err.text);
	for (size_t i = 0; i < reader.count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader.segments[i], item))) {
			const struct record_octave *octave = (const struct record_octave *)item;

			if (item->kind != RECORD_OCTAVE)
				continue;
			count++;
			sum += octave->bins[50] + octave->bins[60] + octave->bins[3] +
			       octave->bins[30];
		}
	}
	ok(count == 2 && sum == 8, "octaves that fall together are one: %zu, %llu", count,
	   (unsigned long long)sum);
	reader_close(&reader);
	recording_free(&recording);
}

static void mappings(void)
{
	struct recording recording = recordings_samples();
	struct retime retime = { .from = 1000, .to = 5000000, .factor = 0.5 };
	const struct record_map *map;
	struct reader reader;
	struct err err;

	reader = read_back(&recording);
	if (retime_segments(&reader, &retime, &err))
		bail_out(err.text);
	map = (const struct record_map *)find(&reader, RECORD_MAP);
	ok(map->time == 0, "a mapping of the beginning still is one");
	ok(((const struct record_unmap *)find(&reader, RECORD_UNMAP))->time == 5004000,
	   "a later unmapping keeps its time");
	reader_close(&reader);
	recording_free(&recording);
}

/* Whatever a damaged recording has for times, there is a result. */
static void damaged(void)
{
	struct retime retime = { .from = 1000, .to = UINT64_C(1) << 50, .factor = 3.7 };
	struct recording recording = recordings_both();
	uint64_t state = 17;
	int tried = 0;

	for (int i = 0; i < 300; i++) {
		struct reader reader;
		struct err err;

		recording.bytes[RECORD_GRAIN +
				random64_below(&state, recording.size - RECORD_GRAIN)] =
			(char)random64_any_size(&state);
		if (reader_open(&reader, recording_file(&recording, recording.size), &err))
			continue;
		tried += !retime_segments(&reader, &retime, &err);
		reader_close(&reader);
	}
	ok(tried > 100, "damaged times are times: %d", tried);
	recording_free(&recording);
}

int main(void)
{
	instants();
	samples_by(0.37);
	samples_by(1);
	samples_by(18.5);
	longest_gap();
	calls_by(0.37);
	calls_by(1.0001);
	calls_by(18.5);
	octaves();
	mappings();
	damaged();
	return tap_done();
}
