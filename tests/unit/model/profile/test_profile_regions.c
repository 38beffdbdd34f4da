/* SPDX-License-Identifier: MIT
 *
 * test_profile_regions.c - stacks in regions, which are frames of a recording and none of a
 * profile; and time while recording was paused.
 */
#include "../../recording.h"
#include "model/profile/profile.h"
#include "model/profile/profile_rows.h"

#define CODE      UINT64_C(0x7f0000001000)
#define REGION(n) (RECORD_REGIONS_START + (n))

struct profiled {
	struct reader reader;
	struct profile profile;
	struct profile_rows rows;
};

static void profile_it(struct profiled *profiled, struct recording *recording,
		       struct profile_filter *filter)
{
	static struct profile_filter all;
	struct err err;

	if (reader_open(&profiled->reader, recording_file(recording, recording->size), &err) ||
	    profile_read(&profiled->profile, &profiled->reader, filter ? filter : &all, &err) ||
	    profile_rows_make(&profiled->rows, &profiled->profile, PROFILE_BY_REGION, &err))
		bail_out(err.text);
}

static void profiled_free(struct profiled *profiled)
{
	profile_rows_free(&profiled->rows);
	profile_free(&profiled->profile);
	reader_close(&profiled->reader);
}

static bool is_row(const struct profiled *profiled, const char *name, uint64_t self, uint64_t total)
{
	const struct profile_rows *rows = &profiled->rows;

	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->rows[i].name, name) == 0)
			return rows->rows[i].self.ns == self && rows->rows[i].total.ns == total;
	return self == 0 && total == 0;
}

static void add_region(struct recording *recording, uint32_t number, const char *name)
{
	struct record_region *region =
		recording_item(recording, RECORD_REGION, sizeof(*region) + strlen(name) + 1);

	region->number = number;
	strcpy(region->name, name);
}

/* A process with stacks in no region, in one, in two, and in one twice. */
static void begin(struct recording *recording)
{
	uint64_t process = recording_process(recording, 42, 0);

	recording_mapped(recording, 0, CODE, 0x1000, "[anon]", NULL);
	recording_sampler(recording, 1000);
	add_region(recording, 1, "parse");
	add_region(recording, 2, "db:query");
	recording_thread(recording, process, 42);
	recording_stack(recording, 0, (uint64_t[]){ CODE, CODE + 16 }, 2);
	recording_stack(recording, 1, (uint64_t[]){ CODE, CODE + 16, REGION(1) }, 3);
	recording_stack(recording, 2, (uint64_t[]){ CODE, REGION(2), REGION(1) }, 3);
	recording_stack(recording, 3, (uint64_t[]){ CODE, REGION(1), REGION(2), REGION(1) }, 4);
	/* Neither the innermost frame nor a number without a name is one. */
	recording_stack(recording, 4, (uint64_t[]){ REGION(1), REGION(7) }, 2);
}

static void add_samples(struct recording *recording)
{
	struct record_samples *samples = recording_samples(recording, 42, "main", 0, 10);

	recording_sample(samples, 0, 1, 0);
	recording_sample(samples, 1, 10, 1000);
	recording_sample(samples, 2, 100, 2000);
	recording_sample(samples, 3, 1000, 3000);
	recording_sample(samples, 4, 10000, 4000);
}

static void rows(void)
{
	struct recording recording = recording_new(0);
	struct profiled profiled;

	begin(&recording);
	add_samples(&recording);
	profile_it(&profiled, &recording, NULL);
	ok(profile_regions_exist(&profiled.profile.regions), "there are regions");
	ok(is_row(&profiled, "parse", 1010, 1110), "self is in the innermost region, total in any");
	ok(is_row(&profiled, "db:query", 100, 1100), "one in another counts for both");
	ok(is_row(&profiled, PROFILE_REGIONS_NO_NAME, 10001, 10001),
	   "the rest has a row, with stacks that only look like it");
	ok(profiled.profile.stacks[1].depth == 2 && profiled.profile.stacks[2].depth == 1,
	   "regions are no frames of a profile");
	ok(profiled.profile.stacks[1].has_callers && !profiled.profile.stacks[2].has_callers,
	   "and no callers");
	profiled_free(&profiled);
	recording_free(&recording);
}

static uint64_t kept(const char *choice)
{
	struct recording recording = recording_new(0);
	struct profile_filter filter = { 0 };
	struct profiled profiled;
	struct err err;
	uint64_t ns;

	begin(&recording);
	add_samples(&recording);
	if (spec_list_add_objects(&filter.regions, choice, &err))
		bail_out(err.text);
	profile_it(&profiled, &recording, &filter);
	ns = profiled.profile.totals.kept.ns;
	profiled_free(&profiled);
	profile_filter_fini(&filter);
	recording_free(&recording);
	return ns;
}

static void filters(void)
{
	ok(kept("parse") == 1110, "a filter selects samples in a region, and in those in it");
	ok(kept("db:query") == 1100, "a colon belongs to the name");
	ok(kept("db*,nothing") == 1100, "globs, and several");
	ok(kept(PROFILE_REGIONS_NO_NAME) == 10001, "no region can be chosen");
	ok(kept("nothing") == 0, "nothing matches");
}

static void pauses(void)
{
	struct recording recording = recording_new(0);
	struct record_samples *samples;
	struct profiled profiled;

	begin(&recording);
	samples = recording_samples(&recording, 42, "main", 0, 10);
	recording_sample(samples, 0, 1, 0);
	recording_sample(samples, 0, 10, 1000);
	samples->samples[1].frame = RECORD_SAMPLE_PAUSED;
	recording_sample(samples, 0, 100, 2000);
	samples->samples[2].frame = RECORD_SAMPLE_PAUSED | RECORD_SAMPLE_BLOCKED;
	recording_sample(samples, 1, 1000, 3000);
	profile_it(&profiled, &recording, NULL);
	ok(profiled.profile.totals.paused_ns == 110 && profiled.profile.totals.seen.ns == 1001 &&
		   profiled.profile.totals.seen.samples == 2,
	   "paused time is in no sample");
	ok(profile_sum(&profiled.reader).ns == 1001 && !profiled.profile.totals.stackless.samples,
	   "and no stack is missing");
	profiled_free(&profiled);
	recording_free(&recording);
}

static void none(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct profiled profiled;

	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ CODE }, 1);
	recording_sample(recording_samples(&recording, 42, "main", 0, 10), 0, 1, 0);
	profile_it(&profiled, &recording, NULL);
	ok(!profile_regions_exist(&profiled.profile.regions),
	   "a recording without regions says so");
	profiled_free(&profiled);
	recording_free(&recording);
}

int main(void)
{
	rows();
	filters();
	pauses();
	none();
	return tap_done();
}
