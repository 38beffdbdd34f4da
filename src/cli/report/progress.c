/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <stdio.h>
#include <time.h>

#include "output/table/terminal.h"

/* Shorter work shows no line, and a line changes no more often than it can be read. */
#define LONG_S  0.5
#define AGAIN_S 0.1

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

struct progress progress_begin(const char *what)
{
	return (struct progress){ .what = what,
				  .start_s = seconds_now(),
				  .is_wanted = terminal_is_smart(stderr) };
}

void progress_step(void *argument, uint64_t done, uint64_t whole)
{
	struct progress *progress = argument;
	double now;

	if (!progress->is_wanted || !whole)
		return;
	now = seconds_now();
	if (now - progress->start_s < LONG_S || now - progress->last_s < AGAIN_S)
		return;
	progress->last_s = now;
	progress->is_shown = true;
	fprintf(stderr, "\r%s: %.0f%%\033[K", progress->what,
		(double)(done < whole ? done : whole) / (double)whole * 100);
	fflush(stderr);
}

void progress_end(struct progress *progress)
{
	if (progress->is_shown)
		fputs("\r\033[K", stderr);
	progress->is_shown = false;
}

int progress_read_profile(struct profile *profile, const struct reader *reader,
			  struct profile_filter *filter, struct err *err)
{
	struct progress progress = progress_begin("reading samples");
	const struct profile_progress steps = { progress_step, &progress };
	int status;

	filter->progress = &steps;
	status = profile_read(profile, reader, filter, err);
	filter->progress = NULL;
	progress_end(&progress);
	return status;
}
