/* SPDX-License-Identifier: MIT */
#include "outside.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "attach/cgroup.h"
#include "cli/cmd.h"
#include "model/profile/profile.h"
#include "output/table/units.h"
#include "recording/make/finish.h"
#include "target.h"

#define PROGRESS_S 0.5 /* between two progress lines */

int outside_open(struct attach **attach, const struct session *session, const char *path,
		 const struct outside_targets *targets, struct err *err)
{
	const struct create_options *create = &session->create;
	struct attach_options options = { .pids = targets->pids,
					  .pid_count = targets->count,
					  .cgroup = targets->cgroup,
					  .at_exec = targets->at_exec,
					  .shared = targets->shared,
					  .hz = create->hz,
					  .kernel = create->flags & RECORD_KERNEL_STACKS,
					  .event = { create->event, create->period },
					  .stacks = !(create->flags & RECORD_NO_STACKS),
					  .follow = !(create->flags & RECORD_NO_FOLLOW),
					  .blocked_hz = session->blocked_hz };

	return attach_open(attach, &options, path, err);
}

void outside_note_narrow(const struct session *session, const char *path)
{
	if (session->show != SESSION_NOTHING && !session->watcher && target_is_narrow(path))
		cmd_note(session->verb,
			 "'%s' is a 32-bit program: from outside, its samples have no callers, and "
			 "functions of scripts have no names; 'dwell record COMMAND' has both",
			 path);
}

void outside_cut(struct pieces *pieces, struct attach *attach)
{
	if (pieces_left_ms(pieces, 1))
		return;
	if (attach)
		attach_settle(attach);
	pieces_cut(pieces);
}

/* ---- processes that run already ---- */

static volatile sig_atomic_t is_enough;

static void enough(int signal)
{
	(void)signal;
	is_enough = 1;
}

void outside_listen(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = enough };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &action, NULL);
}

bool outside_is_enough(void)
{
	return is_enough;
}

double outside_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Prints one line, which the next one replaces. */
static void show_progress(const struct attach *attach, double seconds)
{
	struct attach_status status = attach_status(attach);
	char samples[UNITS_BYTES], rate[UNITS_BYTES], lost[UNITS_BYTES];

	fprintf(stderr, "\r%.1f s, %s samples, %s/s, %zu threads, %s lost\033[K", seconds,
		units_count(samples, status.samples),
		units_count(rate, (uint64_t)((double)status.samples / seconds + 0.5)),
		status.threads, units_count(lost, status.lost));
	fflush(stderr);
}

void outside_pump(const struct session *session, struct attach *attach, double seconds)
{
	double start = outside_seconds(), now = start, shown = start;
	bool shows = session->show != SESSION_NOTHING && isatty(STDERR_FILENO);

	while (!is_enough && (seconds <= 0 || now - start < seconds) &&
	       attach_pump(attach, OUTSIDE_PUMP_MS) > 0) {
		now = outside_seconds();
		if (session->pieces)
			outside_cut(session->pieces, attach);
		if (shows && now - shown >= PROGRESS_S) {
			show_progress(attach, now - start);
			shown = now;
		}
	}
	if (shows)
		fputs("\r\033[K", stderr);
}

void outside_show(const struct session *session, const struct reader *reader)
{
	report_line(reader, session->verb, session->data);
	if (!session->blocked_hz && !session->create.event && !profile_sum(reader).samples)
		cmd_note(session->verb, "no CPU time was used during the recording; --clock wall "
					"shows where threads wait");
}

static int settle(const struct session *session, struct creation *creation, struct err *err)
{
	struct reader reader;
	int status = finish_read(creation, FINISH_US, &reader, err);

	if (status)
		return status;
	if (session->show != SESSION_NOTHING)
		outside_show(session, &reader);
	if (finish_is_torn(&reader))
		status = err_set(err, ENODATA,
				 "part of the recording is lost: '%s' was truncated "
				 "while it was being written",
				 session->data);
	reader_close(&reader);
	return status;
}

/* Cuts the last piece. Returns the exit status. */
static int end_pieces(const struct session *session, struct creation *creation)
{
	int status = pieces_end(session->pieces, session->show == SESSION_NOTHING);

	if (!status)
		create_discard(creation);
	return status;
}

/* Runs until the watcher is done, or all processes have exited. */
static int let_watch(const struct session *session, const struct creation *creation,
		     struct attach *attach, pid_t pid, struct err *err)
{
	const struct session_watcher *watcher = session->watcher;
	struct session_view view = { .path = creation->path, .pid = pid, .attach = attach };
	int status = watcher->begin(watcher->argument, &view, err);

	while (!status && attach_pump(attach, OUTSIDE_PUMP_MS) > 0 &&
	       watcher->look(watcher->argument, 0))
		;
	return status;
}

/* Notes that processes of a cgroup are not in the recording. */
static void note_refused(const struct session *session, const struct attach *attach)
{
	size_t count = attach_status(attach).refused;

	if (count)
		cmd_note(session->verb,
			 "%zu %s of the cgroup could not be recorded: that needs %s user or root",
			 count, count == 1 ? "process" : "processes", count == 1 ? "its" : "their");
}

static int watch(const struct session *session, struct creation *creation,
		 const struct outside_targets *targets, double seconds, struct err *err)
{
	struct attach *attach;
	int status = create_started(creation, err);

	if (!status)
		status = outside_open(&attach, session, creation->path, targets, err);
	if (status)
		return status;
	if (session->watcher) {
		status = let_watch(session, creation, attach, targets->pids[0], err);
	} else {
		outside_listen();
		if (session->pieces)
			pieces_begin(session->pieces, creation, FINISH_US);
		switching_begin(&session->switching, creation->fd);
		outside_pump(session, attach, seconds);
		note_refused(session, attach);
	}
	attach_close(attach);
	switching_end(&session->switching);
	if (!status)
		status = create_ended(creation, 0, err);
	if (!status && session->watcher)
		session->watcher->end(session->watcher->argument, 0);
	return status;
}

char **outside_command(pid_t pid, char *text, size_t size, char *words[], size_t room)
{
	char path[64];
	ssize_t length = 0;
	size_t count = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		length = read(fd, text, size - 1);
		close(fd);
	}
	text[length > 0 ? length : 0] = '\0';
	for (char *at = text; at < text + length && count + 1 < room; at += strlen(at) + 1)
		words[count++] = at;
	words[count] = NULL;
	return words;
}

/* Records them; command: what they are called in the recording. */
static int watch_targets(const struct session *session, const struct outside_targets *targets,
			 char **command, double seconds)
{
	struct create_options create = session->create;
	struct creation creation;
	struct err err;
	int status, failed = 0;

	create.flags |= RECORD_ATTACHED | switching_flags(&session->switching);
	create.command = command;
	status = create_open(&creation, session->data, &create, &err);
	if (status)
		return cmd_fail(session->verb, "%s", err.text);
	status = watch(session, &creation, targets, seconds, &err);
	if (status)
		create_remove(&creation);
	else if (session->is_temporary)
		create_discard(&creation);
	else if (session->pieces)
		failed = end_pieces(session, &creation);
	else
		status = settle(session, &creation, &err);
	create_close(&creation);
	return status ? cmd_fail(session->verb, "%s", err.text) : failed;
}

int outside_watch(const struct session *session, const pid_t *pids, size_t count, double seconds)
{
	const struct outside_targets targets = { .pids = pids, .count = count };
	char text[4096], *words[256];

	for (size_t i = 0; i < count; i++) {
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/exe", (int)pids[i]);
		outside_note_narrow(session, path);
	}
	return watch_targets(session, &targets,
			     outside_command(pids[0], text, sizeof(text), words,
					     sizeof(words) / sizeof(words[0])),
			     seconds);
}

int outside_watch_cgroup(const struct session *session, const char *name, double seconds)
{
	struct outside_targets targets = { 0 };
	char *words[] = { (char[]){ "cgroup" }, NULL, NULL }, *path;
	struct err err;
	int status = cgroup_find(name, &path, &err);

	if (status)
		return cmd_fail(session->verb, "%s", err.text);
	targets.cgroup = words[1] = path;
	status = watch_targets(session, &targets, words, seconds);
	free(path);
	return status;
}
