/* SPDX-License-Identifier: MIT */
#include "running.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/inject/inject.h"
#include "attach/proc.h"
#include "cli/cmd.h"
#include "outside.h"
#include "recording/make/finish.h"

#define LOOK_US     20000 /* between two looks at whether the processes are there */
#define GUARD_TRIES 100   /* by the guardian, where another dwell or its guardian is at work */
#define GUARD_US    30000 /* between two of them */

struct run {
	const struct session *session;
	const struct sampling_pids *pids;
	char *library;
	struct creation creation;
	/* The recording while it is made: memory that the user cannot truncate, which would kill
	 * the processes; and that no other process can open. */
	int memory;
	int lock;                    /* the same memory, locked as long as we live */
	int guard;                   /* the pipe to the guardian; -1: none */
	struct calls_entry *entries; /* of the processes in the recording */
	size_t begun;                /* of them */
};

/* ---- the recording ---- */

static int copy(int from, int to, struct err *err)
{
	char bytes[65536];
	off_t at = 0;
	ssize_t size;

	while ((size = pread(from, bytes, sizeof(bytes), at)) > 0) {
		if (pwrite(to, bytes, (size_t)size, at) != size)
			return err_set(err, errno, "cannot write the recording: %s",
				       strerror(errno));
		at += size;
	}
	return size < 0 ? err_set(err, errno, "cannot read the recording: %s", strerror(errno)) : 0;
}

static int make_memory(struct run *run, struct err *err)
{
	char path[64];

	run->memory = memfd_create(INJECT_MEMORY_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (run->memory < 0)
		return err_set(err, errno, "cannot make memory for the recording: %s",
			       strerror(errno));
	/* A descriptor that is not the processes': a lock ends with its last duplicate. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", run->memory);
	run->lock = open(path, O_RDWR | O_CLOEXEC);
	if (run->lock < 0 || flock(run->lock, LOCK_EX | LOCK_NB))
		return err_set(err, errno, "cannot lock the recording: %s", strerror(errno));
	if (copy(run->creation.fd, run->memory, err))
		return -EIO;
	if (fcntl(run->memory, F_ADD_SEALS, F_SEAL_SHRINK))
		return err_set(err, errno, "cannot seal the recording: %s", strerror(errno));
	return 0;
}

/* ---- the guardian ---- */

/* Takes everything back in all processes. Returns 0, or -errno of one that could not. */
static int end_all(const struct run *run, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < run->begun; i++) {
		int one = inject_end(run->pids->list[i], run->library, err);

		status = one ? one : status;
	}
	return status;
}

/* Waits for the end of the tool. If it was killed, takes everything back in its place. */
__attribute__((noreturn)) static void guard(struct run *run, int pipe)
{
	struct err err;
	char done = 0;

	setsid();
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	while (read(pipe, &done, 1) < 0 && errno == EINTR)
		;
	run->begun = done ? 0 : run->pids->count;
	for (int i = 0; i < GUARD_TRIES && end_all(run, &err); i++)
		usleep(GUARD_US + (useconds_t)getpid() % GUARD_US); /* not in step with others */
	_exit(0);
}

static int start_guardian(struct run *run, pid_t *guardian, struct err *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return err_set(err, errno, "cannot create a pipe: %s", strerror(errno));
	*guardian = fork();
	if (*guardian == 0) {
		close(ends[1]);
		guard(run, ends[0]);
	}
	close(ends[0]);
	run->guard = ends[1];
	return *guardian < 0 ? err_set(err, errno, "cannot start a process: %s", strerror(errno))
			     : 0;
}

static void dismiss(struct run *run, pid_t guardian)
{
	if (run->guard < 0)
		return;
	while (write(run->guard, "x", 1) < 0 && errno == EINTR)
		;
	close(run->guard);
	while (guardian > 0 && waitpid(guardian, NULL, 0) < 0 && errno == EINTR)
		;
}

/* ---- counting ---- */

/* Returns whether one of the processes is there. */
static bool is_any_alive(const struct run *run)
{
	for (size_t i = 0; i < run->pids->count; i++) {
		struct proc_stat stat;

		/* One that its parent has not waited for yet has ended all the same. */
		if (proc_stat(run->pids->list[i], &stat) == 0 && stat.state != 'Z' &&
		    stat.state != 'X')
			return true;
	}
	return false;
}

static int begin_all(struct run *run, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < run->pids->count && !status; i++) {
		status = inject_begin(run->pids->list[i], run->library, run->memory,
				      &run->entries[i], err);
		run->begun += status == 0;
	}
	return status;
}

static void wait_until_enough(const struct run *run, double seconds)
{
	double start = outside_seconds();

	while (!outside_is_enough() && (seconds <= 0 || outside_seconds() - start < seconds) &&
	       is_any_alive(run))
		usleep(LOOK_US);
}

/* Samples the processes, from outside, into the same recording: after the runtime was loaded and
 * before it is taken back, neither of which is the program's work. */
static int sample(const struct run *run, double seconds, struct err *err)
{
	const struct calls_shared shared = { .recording = run->memory,
					     .entries = run->entries,
					     .count = run->begun };
	const struct outside_targets targets = { .pids = run->pids->list,
						 .count = run->pids->count,
						 .shared = &shared };
	struct attach *attach;
	int status = outside_open(&attach, run->session, NULL, &targets, err);

	if (status)
		return status;
	outside_pump(run->session, attach, seconds);
	attach_close(attach);
	return 0;
}

/* Counts, and takes everything back. */
static int count(struct run *run, double seconds, struct err *err)
{
	struct err end_err;
	pid_t guardian = -1;
	int status = start_guardian(run, &guardian, err), ended;

	outside_listen();
	if (!status)
		status = begin_all(run, err);
	if (!status)
		switching_begin(&run->session->switching, run->memory);
	if (!status && run->session->inject & INJECTION_RECORD)
		status = sample(run, seconds, err);
	else if (!status)
		wait_until_enough(run, seconds);
	switching_end(&run->session->switching);
	ended = end_all(run, &end_err);
	dismiss(run, guardian);
	if (ended)
		cmd_note(run->session->verb, "%s", end_err.text);
	return status;
}

/* Processes that can write to each other's part of a recording have to trust each other. */
static int check_users(const struct sampling_pids *pids, struct err *err)
{
	struct stat first, other;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", (int)pids->list[0]);
	for (size_t i = 1; i < pids->count && stat(path, &first) == 0; i++) {
		char next[64];

		snprintf(next, sizeof(next), "/proc/%d", (int)pids->list[i]);
		if (stat(next, &other) == 0 &&
		    (first.st_uid != other.st_uid || first.st_gid != other.st_gid))
			return err_set(err, EPERM,
				       "processes %d and %d belong to different users: count their "
				       "calls one after the other",
				       (int)pids->list[0], (int)pids->list[i]);
	}
	return 0;
}

/* We trust processes that we write samples beside: they could have us write anywhere in our own
 * memory. */
static int check_trust(const struct sampling_pids *pids, struct err *err)
{
	for (size_t i = 0; i < pids->count; i++)
		if (!proc_is_of_user(pids->list[i], geteuid()))
			return err_set(
				err, EPERM,
				"cannot sample process %d and count its calls at once: it is "
				"another user's; run dwell as that user, or dwell record -p "
				"and dwell calls -p one after the other",
				(int)pids->list[i]);
	return 0;
}

static int check_all(const struct run *run, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < run->pids->count && !status; i++)
		status = inject_check(run->pids->list[i], run->library, err);
	if (!status)
		status = check_users(run->pids, err);
	if (!status && run->session->inject & INJECTION_RECORD)
		status = check_trust(run->pids, err);
	return status;
}

/* ---- the result ---- */

static int show(const struct session *session, const struct reader *reader, struct err *err)
{
	int status = 0;

	report_note_scarce(reader, session->verb, session->data);
	if (session->show == SESSION_TABLES)
		status = report_write(reader, &session->report, stderr, err);
	else if (session->show == SESSION_LINE)
		outside_show(session, reader);
	report_note_unmatched(reader, session->verb);
	if (session->show == SESSION_TABLES && !status)
		report_next(reader, session->data);
	return status;
}

static int finish(struct run *run, struct err *err)
{
	struct reader reader;
	int status = copy(run->memory, run->creation.fd, err);

	if (!status)
		status = create_ended(&run->creation, 0, err);
	if (!status)
		status = finish_read(&run->creation, FINISH_US, &reader, err);
	if (status)
		return status;
	status = show(run->session, &reader, err);
	reader_close(&reader);
	return status;
}

static int record(struct run *run, double seconds, struct err *err)
{
	struct create_options create = run->session->create;
	char text[4096], *words[256];
	int status;

	create.flags |=
		RECORD_ATTACHED | RECORD_NO_FOLLOW | switching_flags(&run->session->switching) |
		(run->session->via == SESSION_VIA_ENTRY ? RECORD_VIA_ENTRY : RECORD_VIA_GOT);
	create.command = outside_command(run->pids->list[0], text, sizeof(text), words,
					 sizeof(words) / sizeof(words[0]));
	status = create_open(&run->creation, run->session->data, &create, err);
	if (status)
		return status;
	status = create_started(&run->creation, err);
	if (!status)
		status = make_memory(run, err);
	if (!status)
		status = count(run, seconds, err);
	if (status)
		create_remove(&run->creation);
	else
		status = finish(run, err);
	create_close(&run->creation);
	return status;
}

int running_count(const struct session *session, const struct sampling_pids *pids, double seconds)
{
	struct run run = {
		.session = session, .pids = pids, .memory = -1, .lock = -1, .guard = -1
	};
	struct err err;
	int status = injection_find_runtime(&run.library, &err);

	run.entries = calloc(pids->count, sizeof(*run.entries));
	if (!status && !run.entries)
		status = err_no_memory(&err);
	if (!status)
		status = check_all(&run, &err);
	if (!status)
		status = record(&run, seconds, &err);
	if (run.memory >= 0)
		close(run.memory);
	if (run.lock >= 0)
		close(run.lock);
	free(run.library);
	free(run.entries);
	return status ? cmd_fail(session->verb, "%s", err.text) : 0;
}
