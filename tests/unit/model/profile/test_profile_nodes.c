/* SPDX-License-Identifier: MIT
 *
 * test_profile_nodes.c - stacks share common parts, however they were recorded: a profile is not
 * larger than its recording times a constant.
 */
#include "model/profile/profile_nodes.h"

#include "../../recordings.h"
#include "model/profile/sampled.h"
#include "recording/read/validate.h"

/* Each frame may occur as the innermost, and as a caller. */
#define NODES_MAX(FRAMES) (1 + 2 * (size_t)(FRAMES))

struct profiled {
	struct recording recording;
	struct reader reader;
	struct profile profile;
};

static void profile_it(struct profiled *profiled, struct recording recording)
{
	static struct profile_filter all;
	struct err err;

	profiled->recording = recording;
	if (reader_open(&profiled->reader, recording_file(&recording, recording.size), &err) ||
	    profile_read(&profiled->profile, &profiled->reader, &all, &err))
		bail_out(err.text);
}

static void profiled_free(struct profiled *profiled)
{
	profile_free(&profiled->profile);
	reader_close(&profiled->reader);
	recording_free(&profiled->recording);
}

static uint32_t deepest(const struct profile *profile)
{
	uint32_t deepest = 0;

	for (size_t i = 0; i < profile->stack_count; i++)
		if (profile->stacks[i].depth > deepest)
			deepest = profile->stacks[i].depth;
	return deepest;
}

/* Returns true if the frames of a stack are those made by recordings_deep(). */
static bool is_whole(const struct profile *profile, const struct profile_stack *stack)
{
	const uint32_t *frames = profile_frames(profile, stack);

	for (uint32_t i = 0; i < stack->depth; i++)
		if (profile_frame(profile, frames[i])->pc !=
		    0x10010 + 16 * (uint64_t)(stack->depth - 1 - i) - (i > 0))
			return false;
	return stack->depth > 0;
}

/* A stack sampled at each of its depths. */
static void a_comb(void)
{
	enum { DEPTH = 4000 };
	struct profiled profiled;
	const struct profile *profile = &profiled.profile;
	struct profile_amount *totals;
	bool are_whole = true;

	profile_it(&profiled, recordings_deep("/nowhere/bin/prog", DEPTH, DEPTH));
	for (size_t i = 0; i < profile->stack_count; i++)
		are_whole = are_whole && profile->stacks[i].depth == i + 1 &&
			    is_whole(profile, &profile->stacks[i]);
	ok(profile->stack_count == DEPTH && are_whole, "%d stacks, each with all of its frames",
	   DEPTH);
	if (!ok(profile->tree.count <= NODES_MAX(DEPTH), "but no more nodes than two a frame"))
		note("%zu nodes", profile->tree.count);
	totals = profile_nodes_totals(profile);
	ok(totals && totals[PROFILE_ROOT].samples == DEPTH, "all of them go through the root");
	free(totals);
	profiled_free(&profiled);
}

/* Far deeper than any recorded stack. */
static void a_chain(void)
{
	enum { FRAMES = 20000 };
	struct profiled profiled;

	profile_it(&profiled, recordings_deep("/nowhere/bin/prog", FRAMES, FRAMES));
	ok(profiled.profile.stack_count == FRAMES && deepest(&profiled.profile) == SAMPLED_DEPTH,
	   "stacks that are too deep begin in between");
	if (!ok(profiled.profile.tree.count <= NODES_MAX(FRAMES), "at the same frame for all"))
		note("%zu nodes", profiled.profile.tree.count);
	profiled_free(&profiled);
}

/* A frame that is its own caller, three that call each other, and one called by these. */
static void circles(void)
{
	static const uint32_t callers[] = { 0, 2, 3, 1, 1 };
	enum { FRAMES = sizeof(callers) / sizeof(callers[0]) };
	struct recording recording = recordings_deep("/nowhere/bin/prog", FRAMES, FRAMES);
	struct record_frames *item =
		(void *)(recording.bytes + recording.segment + validate_items_start(RECORD_COUNTS));
	struct profiled profiled;

	for (uint32_t i = 0; i < FRAMES; i++)
		item->frames[i].caller = callers[i];
	profile_it(&profiled, recording);
	ok(profiled.profile.tree.count <= NODES_MAX(FRAMES) && deepest(&profiled.profile) <= FRAMES,
	   "frames that call themselves");
	ok(profiled.profile.totals.broken.samples == FRAMES, "are stacks that end too early");
	profiled_free(&profiled);
}

static const char *outermost(const struct profile *profile, size_t stack)
{
	const struct profile_stack *of = &profile->stacks[stack];

	return profile->functions.list[profile_function(profile, of, of->depth - 1)].object;
}

/* Two stacks with the same caller, whose code is replaced between the samples. */
static void replaced(void)
{
	struct recording recording = recording_new(0);
	uint64_t process = recording_process(&recording, 42, 0);
	struct record_samples *samples;
	struct record_frame *frame;
	struct profiled profiled;

	recording_mapped(&recording, 0, 0x1000, 0x1000, "/nowhere/prog", NULL);
	recording_mapped(&recording, 0, 0x4000, 0x1000, "/nowhere/first.so", NULL);
	recording_mapped(&recording, 50000, 0x4000, 0x1000, "/nowhere/second.so", NULL);
	recording_sampler(&recording, 1000);
	recording_thread(&recording, process, 42);
	recording_stack(&recording, 0, (uint64_t[]){ 0x1010, 0x4010 }, 2);
	frame = recording_stack(&recording, 1, (uint64_t[]){ 0x1020 }, 1);
	frame->caller = 1;
	samples = recording_samples(&recording, 42, "main", 1024, 3);
	recording_sample(samples, 0, 1000, 2048);
	recording_sample(samples, 1, 1000, 4096);
	recording_sample(samples, 1, 1000, 61440);
	profile_it(&profiled, recording);
	ok(profiled.profile.stack_count == 3,
	   "an address may belong to different callers at different times");
	ok(profiled.profile.stacks[1].depth == 2 &&
		   strcmp(outermost(&profiled.profile, 0), "first.so") == 0 &&
		   strcmp(outermost(&profiled.profile, 1), "first.so") == 0 &&
		   strcmp(outermost(&profiled.profile, 2), "second.so") == 0,
	   "each sample has the caller of its time");
	profiled_free(&profiled);
}

int main(void)
{
	a_comb();
	a_chain();
	circles();
	replaced();
	return tap_done();
}
