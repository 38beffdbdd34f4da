/* SPDX-License-Identifier: MIT */
#include "session.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "emulator.h"
#include "entry/supported.h"
#include "launch.h"
#include "machines.h"
#include "outside.h"
#include "target.h"
#include "variables.h"
#include "recording/make/finish.h"

int session_take_via(enum session_via *via, const char *verb, const char *value)
{
	if (strcmp(value, "got") == 0)
		*via = SESSION_VIA_GOT;
	else if (strcmp(value, "audit") == 0)
		*via = SESSION_VIA_AUDIT;
	else if (strcmp(value, "entry") == 0)
		*via = SESSION_VIA_ENTRY;
	else
		return cmd_fail(verb, "unknown --via value '%s' (expected audit, got or entry)",
				value);
	return 0;
}

/* The state of a session. */
struct run {
	const struct session *session;
	char *path;               /* of the command */
	struct emulator emulator; /* its path is NULL if none is needed */
	bool refused;             /* it can be run, but not recorded */
	bool outside;             /* no library of ours is in the command */
	bool via_got;             /* how its calls are intercepted, if wanted */
	struct injection injection;
	struct variables variables; /* of the command's environment */
	struct creation creation;
	pid_t pid;             /* of the command */
	struct attach *attach; /* NULL: not sampled from outside */
	struct rusage usage;   /* of the command */
};

static int fail(const struct run *run, const struct err *err)
{
	return cmd_fail(run->session->verb, "%s", err->text);
}

static int prepare(void *argument)
{
	struct run *run = argument;
	const struct session_watcher *watcher = run->session->watcher;

	return watcher->prepare(watcher->argument);
}

static int set_environment(struct run *run, struct err *err)
{
	int status = variables_copy(&run->variables, environ);

	if (!status && !run->outside)
		status = injection_set_variables(&run->injection, run->creation.path,
						 &run->variables);
	return status ? err_no_memory(err) : 0;
}

static int started(void *argument, struct err *err)
{
	struct run *run = argument;

	return create_started(&run->creation, err);
}

static enum finish_writers writers_of(const struct run *run)
{
	return run->outside ? FINISH_US : FINISH_TARGETS;
}

/* Starts sampling the child at its exec, and lets the watcher begin. The child has none of the
 * handlers that begin here. */
static int forked(void *argument, pid_t pid, struct err *err)
{
	struct run *run = argument;
	const struct session_watcher *watcher = run->session->watcher;
	struct session_view view = { .path = run->creation.path, .pid = pid };
	const struct outside_targets targets = { .pids = &pid, .count = 1, .at_exec = true };
	int status = 0;

	if (run->outside)
		status =
			outside_open(&run->attach, run->session, run->creation.path, &targets, err);
	run->pid = pid;
	view.attach = run->attach;
	if (!status)
		switching_begin(&run->session->switching, run->creation.fd);
	if (!status && run->session->pieces)
		pieces_begin(run->session->pieces, &run->creation, writers_of(run));
	return status || !watcher ? status : watcher->begin(watcher->argument, &view, err);
}

static void meanwhile(void *argument)
{
	struct run *run = argument;
	const struct session_watcher *watcher = run->session->watcher;

	if (run->attach)
		attach_pump(run->attach, OUTSIDE_PUMP_MS);
	else if (run->session->pieces)
		pieces_wait(run->session->pieces, run->pid);
	if (watcher)
		watcher->look(watcher->argument, run->attach ? 0 : OUTSIDE_PUMP_MS);
	if (run->session->pieces)
		outside_cut(run->session->pieces, run->attach);
}

/* Checks that entries of the program's functions can be patched. */
static int check_entry(const struct run *run, const struct elf_program *program, struct err *err)
{
	const char *own = arch_machines[0].platform;

	if (program->is_musl)
		return err_set(
			err, ENOTSUP,
			"--via entry: '%s' uses musl, whose linker does not support auditing",
			run->path);
	if (!survey_is_supported() || run->emulator.path)
		return err_set(err, ENOTSUP,
			       "--via entry: functions of this CPU cannot be patched");
	if (program->platform && strcmp(program->platform, own) != 0)
		return err_set(err, ENOTSUP,
			       "--via entry: '%s' is for %s, and only functions of %s programs can "
			       "be patched",
			       run->path, program->platform, own);
	return 0;
}

/* Chooses how calls are intercepted, and finds the libraries for that. */
static int choose_way(struct run *run, const struct elf_program *program, struct err *err)
{
	const struct session *session = run->session;
	unsigned parts = session->inject;
	int status = 0;

	run->via_got = session->via == SESSION_VIA_GOT || program->is_musl;
	if (parts & INJECTION_CALLS && session->via == SESSION_VIA_ENTRY)
		status = check_entry(run, program, err);
	if (status)
		return status;
	if (parts & INJECTION_CALLS && session->via == SESSION_VIA_AUDIT && program->is_musl)
		return err_set(
			err, ENOTSUP,
			"'%s' uses musl, whose linker does not support auditing: use --via got",
			run->path);
	if (parts & INJECTION_CALLS && !run->via_got)
		parts |= INJECTION_AUDITOR;
	return injection_find(&run->injection, parts, program, err);
}

/* Chooses where to sample from. A program that gains privileges is out of reach of both engines:
 * the linker loads nothing into it, and the kernel stops its counters for us at exec. */
static int choose_engine(struct run *run, struct err *err)
{
	const struct session *session = run->session;
	struct elf_program program = { 0 };
	int status = target_check(run->path, run->emulator.path, &program, err);

	if (session->engine != SESSION_OUTSIDE && !status)
		status = choose_way(run, &program, err);
	run->outside = status != -EPERM &&
		       (session->engine == SESSION_OUTSIDE ||
			(session->engine == SESSION_EITHER && status &&
			 target_is_native(run->path) && !elf_program_is_own(&program)));
	if (run->outside) {
		outside_note_narrow(session, run->path);
		return 0;
	}
	run->refused = status;
	return status;
}

/* Finds everything that is needed before anything is written. */
static int open_run(struct run *run, struct err *err)
{
	const struct session *session = run->session;
	struct create_options create = session->create;
	int status = target_find(session->command[0], &run->path, err);

	create.command = session->command;
	create.flags |= switching_flags(&session->switching);
	if (!status && session->emulator && target_is_foreign(run->path))
		status = emulator_open(&run->emulator, session->emulator, run->path,
				       session->command, err);
	create.foreign_ticks = run->emulator.path;
	if (!status)
		status = choose_engine(run, err);
	if (run->via_got && session->inject & INJECTION_CALLS)
		create.flags |= RECORD_VIA_GOT;
	if (session->via == SESSION_VIA_ENTRY && session->inject & INJECTION_CALLS)
		create.flags |= RECORD_VIA_ENTRY;
	if (!status)
		status = create_open(&run->creation, session->data, &create, err);
	if (!status) {
		status = set_environment(run, err);
		if (status)
			create_remove(&run->creation);
	}
	return status;
}

static void close_run(struct run *run)
{
	if (run->attach)
		attach_close(run->attach);
	create_close(&run->creation);
	variables_free(&run->variables);
	injection_free(&run->injection);
	emulator_close(&run->emulator);
	free(run->path);
}

static void note_nothing(const struct run *run)
{
	cmd_note(run->session->verb,
		 run->outside ? "nothing was recorded: the kernel reported nothing about '%s'"
			      : "nothing was recorded: the linker did not load dwell into '%s'",
		 run->path);
}

/* Notes that without /proc, names of objects are unknown: only it reports mappings. */
static void note_unnamed(const struct run *run)
{
	if (!run->outside && run->session->inject & INJECTION_RECORD &&
	    access("/proc/self/maps", R_OK))
		cmd_note(run->session->verb,
			 "samples have no names and no callers: /proc is not mounted");
}

static int show_reader(const struct run *run, const struct reader *reader, struct err *err)
{
	const struct session *session = run->session;
	int status = 0;

	report_note_scarce(reader, session->verb, session->data);
	if (!reader_first(reader, RECORD_PROCESS)) {
		if (!reader->header.scarcity.code)
			note_nothing(run);
		return 0;
	}
	note_unnamed(run);
	if (session->show == SESSION_TABLES)
		status = report_write(reader, &session->report, stderr, err);
	else if (session->show == SESSION_LINE && !session->pieces)
		report_line(reader, session->verb, session->data);
	report_note_sandbox(reader, session->verb);
	report_note_unreached(reader, session->verb, session->data);
	report_note_refused(reader, session->verb);
	report_note_unmatched(reader, session->verb);
	if (session->show == SESSION_TABLES && !status)
		report_next(reader, session->data);
	return status;
}

/* Returns 0, or CMD_FAILED if the recording is lost, or a part of it. */
static int show(struct run *run)
{
	struct reader reader;
	struct err err;
	int status;

	if (finish_read(&run->creation, writers_of(run), &reader, &err))
		return fail(run, &err);
	if (show_reader(run, &reader, &err))
		fail(run, &err);
	status = finish_is_torn(&reader) ? CMD_FAILED : 0;
	reader_close(&reader);
	return status;
}

/* Cuts the last piece; the live recording is not needed any more. Returns 0 or CMD_FAILED. */
static int show_pieces(struct run *run)
{
	const struct session *session = run->session;
	struct reader reader;
	struct err err;
	int failed;

	if (reader_read(&reader, run->creation.fd, run->creation.path, &err))
		return fail(run, &err);
	if (show_reader(run, &reader, &err))
		fail(run, &err);
	failed = finish_is_torn(&reader) ? CMD_FAILED : 0;
	reader_close(&reader);
	if (pieces_end(session->pieces, session->show == SESSION_NOTHING))
		return CMD_FAILED;
	create_discard(&run->creation);
	return failed;
}

/* Finishes the recording after the command has exited. Returns 0, or CMD_FAILED if the recording is
 * lost. */
static int finish(struct run *run, int status)
{
	const struct session_watcher *watcher = run->session->watcher;
	struct err err;
	int failed = 0;

	if (create_ended(&run->creation, status, &err) ||
	    create_used(&run->creation, &run->usage, &err))
		failed = fail(run, &err);
	if (watcher)
		watcher->end(watcher->argument, status);
	else if (!failed)
		failed = run->session->pieces ? show_pieces(run) : show(run);
	if (run->session->is_temporary)
		create_discard(&run->creation);
	return failed;
}

static const char *path_to_run(const struct run *run)
{
	return run->emulator.path ? run->emulator.path : run->path;
}

static char **words_to_run(const struct run *run)
{
	return run->emulator.path ? run->emulator.command : run->session->command;
}

static int record(struct run *run, struct err *err)
{
	bool is_watched = run->session->watcher;
	bool is_looked_at = run->outside || is_watched || run->session->pieces;
	bool is_switched = switching_is_used(&run->session->switching);
	struct launch launch = { .path = path_to_run(run),
				 .argv = words_to_run(run),
				 .environment = run->variables.list,
				 .prepare = is_watched ? prepare : NULL,
				 .started = started,
				 .forked = is_looked_at || is_switched ? forked : NULL,
				 .meanwhile = is_looked_at ? meanwhile : NULL,
				 .own_signals = is_watched,
				 .usage = &run->usage,
				 .argument = run };
	int status, failed = launch_run(&launch, &status, err);

	switching_end(&run->session->switching);
	if (run->attach)
		attach_close(run->attach);
	run->attach = NULL;
	if (failed) {
		create_remove(&run->creation);
		return fail(run, err);
	}
	failed = finish(run, status);
	return status ? launch_exit_status(status) : failed;
}

/* Becomes the command, unrecorded. */
static int run_without(const struct run *run)
{
	execv(path_to_run(run), words_to_run(run));
	return cmd_fail(run->session->verb, "cannot run '%s': %s", run->path, strerror(errno));
}

int session_run(const struct session *session)
{
	struct run run = { .session = session, .creation = { .fd = -1 } };
	struct err err;
	int status = open_run(&run, &err) ? fail(&run, &err) : record(&run, &err);

	if (run.refused && session->run_anyway)
		status = run_without(&run);
	close_run(&run);
	return status;
}
