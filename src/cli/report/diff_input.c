/* SPDX-License-Identifier: MIT */
#include "diff_input.h"

#include <stdlib.h>
#include <string.h>

#include "progress.h"
#include "report.h"
#include "output/report/calls_table.h"

/* Takes the command of the first run, and the last part of its program's path, which is how objects
 * are named too. */
static int take_command(struct diff_side_runs *side)
{
	const struct record_header *header = &side->runs[0].reader.header;
	const char *slash = strrchr(header->command, '/');

	side->program = strdup(slash ? slash + 1 : header->command);
	side->command = calloc(1, sizeof(header->command));
	if (!side->program || !side->command)
		return -ENOMEM;
	calls_table_join(side->command, header->command, header->command_size);
	return 0;
}

static int open_side(struct diff_side_runs *side, const struct diff_paths *paths, struct err *err)
{
	side->runs = calloc(paths->count, sizeof(*side->runs));
	side->profiles = calloc(paths->count, sizeof(*side->profiles));
	side->calls = calloc(paths->count, sizeof(*side->calls));
	if (!side->runs || !side->profiles || !side->calls)
		return err_no_memory(err);
	for (size_t i = 0; i < paths->count; i++) {
		int status = reader_open(&side->runs[i].reader, paths->paths[i], err);

		if (status)
			return status;
		side->count++;
		side->profiles[i] = &side->runs[i].profile;
		side->calls[i] = &side->runs[i].calls;
	}
	return take_command(side) ? err_no_memory(err) : 0;
}

static void find_common(struct diff_input *input)
{
	input->has_samples = input->has_calls = true;
	for (int side = 0; side < DIFF_SIDES; side++) {
		for (size_t i = 0; i < input->sides[side].count; i++) {
			const struct reader *reader = &input->sides[side].runs[i].reader;

			input->has_samples = input->has_samples && profile_exists(reader);
			input->has_calls = input->has_calls && report_has_calls(reader);
		}
	}
}

static int read_run(struct diff_input *input, struct diff_run *run, struct profile_filter *filter,
		    struct err *err)
{
	int status = 0;

	if (input->has_samples)
		status = progress_read_profile(&run->profile, &run->reader, filter, err);
	if (!status && input->has_calls)
		status = calls_merge(&run->calls, &run->reader, CALLS_BY_FUNCTION, err);
	return status;
}

static int read_runs(struct diff_input *input, struct profile_filter *filter, struct err *err)
{
	int status = 0;

	for (int side = 0; side < DIFF_SIDES; side++)
		for (size_t i = 0; i < input->sides[side].count && !status; i++)
			status = read_run(input, &input->sides[side].runs[i], filter, err);
	return status;
}

static bool is_wall(const struct diff_side_runs *side)
{
	bool wall = false;

	for (size_t i = 0; i < side->count; i++)
		wall = wall || side->runs[i].profile.totals.is_wall;
	return wall;
}

/* Checks that the samples of all runs count the same. */
static int check_event(const struct diff_run *first, const struct diff_side_runs *side,
		       struct err *err)
{
	const char *event = first->profile.totals.event;

	for (size_t i = 0; i < side->count; i++) {
		const struct diff_run *run = &side->runs[i];
		const char *other = run->profile.totals.event;

		if (!event == !other && (!event || strcmp(event, other) == 0))
			continue;
		return err_set(err, EINVAL,
			       "cannot compare '%s' and '%s': one counts %s, the other %s",
			       first->reader.path, run->reader.path, event ? event : "time",
			       other ? other : "time");
	}
	return 0;
}

static int check(const struct diff_input *input, struct err *err)
{
	const struct diff_side_runs *before = &input->sides[DIFF_OLD];
	const struct diff_side_runs *now = &input->sides[DIFF_NEW];

	if (!input->has_samples && !input->has_calls)
		return err_set(
			err, EINVAL,
			"cannot compare '%s' and '%s': one contains samples, the other calls",
			before->runs[0].reader.path, now->runs[0].reader.path);
	if (input->has_samples && is_wall(before) != is_wall(now))
		return err_set(
			err, EINVAL,
			"cannot compare '%s' and '%s': one contains CPU time, the other wall time",
			before->runs[0].reader.path, now->runs[0].reader.path);
	if (input->has_samples && check_event(&before->runs[0], before, err))
		return -EINVAL;
	return input->has_samples ? check_event(&before->runs[0], now, err) : 0;
}

int diff_input_open(struct diff_input *input, const struct diff_paths paths[DIFF_SIDES],
		    struct profile_filter *filter, struct err *err)
{
	int status;

	*input = (struct diff_input){ 0 };
	/* The weights of single samples show how much their sums vary. */
	filter->keep_samples = true;
	status = open_side(&input->sides[DIFF_OLD], &paths[DIFF_OLD], err);
	if (!status)
		status = open_side(&input->sides[DIFF_NEW], &paths[DIFF_NEW], err);
	find_common(input);
	if (!status)
		status = read_runs(input, filter, err);
	if (!status)
		status = check(input, err);
	if (status)
		diff_input_close(input);
	return status;
}

static void close_side(struct diff_side_runs *side)
{
	for (size_t i = 0; i < side->count; i++) {
		calls_free(&side->runs[i].calls);
		profile_free(&side->runs[i].profile);
		reader_close(&side->runs[i].reader);
	}
	free(side->runs);
	free(side->profiles);
	free(side->calls);
	free(side->command);
	free(side->program);
}

void diff_input_close(struct diff_input *input)
{
	close_side(&input->sides[DIFF_OLD]);
	close_side(&input->sides[DIFF_NEW]);
	*input = (struct diff_input){ 0 };
}

int diff_input_compare_samples(const struct diff_input *input, const struct diff_options *options,
			       struct diff *diff, struct err *err)
{
	struct diff_runs runs[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++)
		runs[side] = (struct diff_runs){ .profiles = input->sides[side].profiles,
						 .count = input->sides[side].count,
						 .program = input->sides[side].program };
	return diff_make(diff, runs, options, err);
}

int diff_input_compare_calls(const struct diff_input *input, struct calls_diff *diff,
			     struct err *err)
{
	struct calls_diff_runs runs[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++)
		runs[side] = (struct calls_diff_runs){ .calls = input->sides[side].calls,
						       .count = input->sides[side].count };
	return calls_diff_make(diff, runs, err);
}
