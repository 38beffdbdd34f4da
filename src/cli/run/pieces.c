/* SPDX-License-Identifier: MIT */
#include "pieces.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "output/table/units.h"

#define LEAST_S 0.1
#define MOST_S  1e7
#define NAP_MS  50 /* between two looks at a child, if the kernel has no better way */

/* ---- options ---- */

/* Returns the seconds in a unit; 0: unknown. */
static double unit_s(const char *unit)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "m", 60 }, { "h", 3600 }, { "d", 86400 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(unit, units[i].name) == 0)
			return units[i].seconds;
	return 0;
}

int pieces_take_every(struct pieces *pieces, const char *verb, const char *value)
{
	char *end;
	double seconds = strtod(value, &end) * unit_s(end);

	if (end == value || !(seconds >= LEAST_S && seconds < MOST_S))
		return cmd_fail(verb,
				"invalid interval '%s': must be a number of at least 0.1 seconds, "
				"such as 60s, 5m or 1h",
				value);
	pieces->every_s = seconds;
	return 0;
}

int pieces_take_keep(struct pieces *pieces, const char *verb, const char *value)
{
	if (!pieces_keep_parse(&pieces->keep, value))
		return cmd_fail(verb,
				"invalid --keep value '%s': must be a number of pieces, or a size "
				"such as 500M or 2G",
				value);
	return 0;
}

/* ---- the folder ---- */

static int make_folder(const char *verb, const char *folder)
{
	struct stat file;

	if (mkdir(folder, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return cmd_fail(verb, "cannot create '%s': %s", folder, strerror(errno));
	if (stat(folder, &file) || !S_ISDIR(file.st_mode))
		return cmd_fail(verb, "cannot write pieces to '%s': it is not a directory", folder);
	return 0;
}

static void note_left(const char *verb, const char *folder)
{
	char *left = pieces_folder_left(folder);

	if (left)
		cmd_note(verb,
			 "'%s' is left from a recording that was killed; dwell report shows what "
			 "its pieces lack",
			 left);
	free(left);
}

/* Copies the name of the folder without slashes at its end. NULL: no memory. */
static char *copy_folder(const char *folder)
{
	size_t size = strlen(folder);

	while (size > 1 && folder[size - 1] == '/')
		size--;
	return strndup(folder, size);
}

int pieces_open(struct pieces *pieces, const char *verb, const char *folder)
{
	int status;

	pieces->verb = verb;
	pieces->folder = copy_folder(folder);
	if (!pieces->folder ||
	    asprintf(&pieces->live, "%s/" PIECES_LIVE "%ld", pieces->folder, (long)getpid()) < 0) {
		pieces->live = NULL;
		return cmd_fail(verb, "out of memory");
	}
	status = make_folder(verb, pieces->folder);
	if (!status)
		note_left(verb, pieces->folder);
	return status;
}

void pieces_close(struct pieces *pieces)
{
	cut_close(&pieces->cut);
	free(pieces->folder);
	free(pieces->live);
	pieces->folder = pieces->live = NULL;
}

/* ---- time ---- */

static double seconds_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void pieces_begin(struct pieces *pieces, const struct creation *creation,
		  enum finish_writers writers)
{
	pieces->cut =
		(struct cut){ .fd = creation->fd,
			      .path = creation->path,
			      .writers = writers,
			      .started_unix_ns = (uint64_t)(seconds_of(CLOCK_REALTIME) * 1e9) };
	pieces->due_s = seconds_of(CLOCK_MONOTONIC) + pieces->every_s;
}

int pieces_left_ms(const struct pieces *pieces, int most)
{
	double left = (pieces->due_s - seconds_of(CLOCK_MONOTONIC)) * 1000;

	if (left <= 0)
		return 0;
	return left < most ? (int)left + 1 : most;
}

void pieces_wait(const struct pieces *pieces, pid_t pid)
{
	struct pollfd child = { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN };
	int most = child.fd < 0 ? NAP_MS : 60000;

	poll(&child, child.fd >= 0, pieces_left_ms(pieces, most));
	if (child.fd >= 0)
		close(child.fd);
}

/* ---- cutting ---- */

static int cut_one(struct pieces *pieces, bool is_last, struct err *err)
{
	char *path = pieces_path(pieces->folder, pieces->cut.started_unix_ns, (long)getpid());
	int status = path ? cut_take(&pieces->cut, path, is_last, err) : err_no_memory(err);

	free(path);
	if (!status)
		pieces->count++;
	return status;
}

/* Reports the first of several failures. */
static void note_failure(struct pieces *pieces, const struct err *err)
{
	pieces->late++;
	if (!pieces->is_failing)
		cmd_note(pieces->verb, "%s; the samples stay in '%s' for the next piece", err->text,
			 pieces->live);
	pieces->is_failing = true;
}

static void tidy(struct pieces *pieces)
{
	struct err err;

	if ((pieces->keep.count || pieces->keep.bytes) &&
	    pieces_folder_tidy(pieces->folder, &pieces->keep, &err))
		cmd_note(pieces->verb, "%s", err.text);
}

void pieces_cut(struct pieces *pieces)
{
	bool could = !pieces->cut.cannot_give_back;
	struct err err;

	if (cut_one(pieces, false, &err)) {
		note_failure(pieces, &err);
	} else {
		pieces->is_failing = false;
		if (could && pieces->cut.cannot_give_back)
			cmd_note(pieces->verb,
				 "'%s' keeps growing: its file system cannot free a part of a file",
				 pieces->live);
	}
	tidy(pieces);
	while (!pieces_left_ms(pieces, 1))
		pieces->due_s += pieces->every_s;
}

static void show(const struct pieces *pieces)
{
	char count[UNITS_BYTES], time[UNITS_BYTES];

	cmd_note(pieces->verb, "%s %s of %s in %zu %s in '%s'",
		 units_count(count, pieces->cut.samples),
		 pieces->cut.samples == 1 ? "sample" : "samples",
		 units_amount(time, (double)pieces->cut.ns, pieces->counts_events), pieces->count,
		 pieces->count == 1 ? "piece" : "pieces", pieces->folder);
	if (pieces->late)
		cmd_note(pieces->verb,
			 "%zu %s could not be written in time and became part of the "
			 "next one",
			 pieces->late, pieces->late == 1 ? "piece" : "pieces");
}

int pieces_end(struct pieces *pieces, bool quiet)
{
	struct err err;

	if (cut_one(pieces, true, &err))
		return cmd_fail(pieces->verb, "%s; what no piece has is in '%s'", err.text,
				pieces->live);
	tidy(pieces);
	if (!quiet)
		show(pieces);
	return 0;
}
