/* SPDX-License-Identifier: MIT */
#include "fetching.h"

#include <stdio.h>

#include "base/decimal.h"
#include "cli/cmd.h"
#include "output/table/printable.h"
#include "output/table/terminal.h"
#include "symbol/debuginfod.h"

#define USUAL_S   30
#define LONGEST_S 3600
#define FILES     4 /* the time limit allows this many slowest downloads */

#define BAR_CELLS 24

/* Draws "[###### ] 1.5 of 3.0 MB", or only the size so far if the total is unknown. */
static void draw(const char *title, long done, long total)
{
	char bar[BAR_CELLS + 1];
	double mb = (double)done / (1 << 20);

	fputs("\r\033[Kdebug file of ", stderr);
	printable_print(stderr, "%s: ", title);
	if (total <= 0) {
		fprintf(stderr, "%.1f MB", mb > 0 ? mb : 0);
		return;
	}
	for (int i = 0; i < BAR_CELLS; i++)
		bar[i] = (double)i * (double)total < (double)done * BAR_CELLS ? '#' : ' ';
	bar[BAR_CELLS] = '\0';
	fprintf(stderr, "[%s] %.1f of %.1f MB", bar, mb, (double)total / (1 << 20));
}

static void show(const char *title, long done, long total)
{
	if (title)
		draw(title, done, total);
	else
		fputs("\r\033[K", stderr);
	fflush(stderr);
}

int fetching_take(struct profile_filter *filter, const char *verb, const char *value)
{
	uint64_t seconds = USUAL_S;
	struct debuginfod_limits limits;
	struct err err;

	if (value && (!decimal_parse(value, LONGEST_S, &seconds) || seconds == 0))
		return cmd_fail(verb, "invalid timeout '%s': must be 1 to %d seconds", value,
				LONGEST_S);
	/* The last option wins. */
	debuginfod_close(filter->debuginfod);
	filter->debuginfod = NULL;
	limits = (struct debuginfod_limits){ .file_s = (double)seconds,
					     .all_s = (double)seconds * FILES };
	if (debuginfod_open(&filter->debuginfod, &limits, terminal_is_smart(stderr) ? show : NULL,
			    &err))
		return cmd_fail(verb, "%s", err.text);
	return 0;
}

void fetching_note(const struct profile_filter *filter, const char *verb)
{
	struct debuginfod_outcome outcome;

	if (!filter->debuginfod)
		return;
	outcome = debuginfod_outcome(filter->debuginfod);
	if (outcome.late)
		cmd_note(verb, "--debuginfod: %zu debug files were not downloaded in time",
			 outcome.late);
	if (outcome.unasked)
		cmd_note(verb,
			 "--debuginfod: %zu more were not requested, because the time was used up",
			 outcome.unasked);
}
