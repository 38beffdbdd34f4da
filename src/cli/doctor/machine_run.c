/* SPDX-License-Identifier: MIT
 *
 * machine_run.c - records a small command by each method. The command is dwell itself, which prints
 * its version.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/run/injection.h"
#include "cli/run/launch.h"
#include "machine.h"
#include "recording/make/create.h"
#include "recording/read/reader.h"

#define OURSELVES "/proc/self/exe"

/* A trial, and the resources that it needs. */
struct trial {
	unsigned parts; /* enum injection_part */
	struct create_options create;
	enum record_item_kind item; /* an item that the recording must then contain */
	struct injection injection;
	struct creation creation;
};

/* Runs in the child: discards its output. */
static int prepare(void *argument)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)argument;
	if (fd >= 0) {
		dup2(fd, STDOUT_FILENO);
		dup2(fd, STDERR_FILENO);
	}
	return 0;
}

static int started(void *argument, struct err *err)
{
	struct trial *trial = argument;

	return create_started(&trial->creation, err);
}

/* Returns the first item of that kind, or NULL. */
static const struct record_item *find_item(const struct reader *reader, enum record_item_kind kind)
{
	for (size_t i = 0; i < reader->count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader->segments[i], item)))
			if (item->kind == kind)
				return item;
	}
	return NULL;
}

/* Keeps the name of the clock, or fails if there is none. */
static int check_sampler(const struct record_sampler *sampler, struct machine_run *run,
			 struct err *err)
{
	if (sampler->refused)
		return err_set(err, (int)sampler->refused, "no clock to sample by: %s",
			       strerror((int)sampler->refused));
	snprintf(run->clock, sizeof(run->clock), "%s", sampler->clock);
	return 0;
}

static int check(const struct trial *trial, struct machine_run *run, struct err *err)
{
	const struct record_item *item;
	struct reader reader;
	int status = reader_open(&reader, trial->creation.path, err);

	if (status)
		return status;
	item = find_item(&reader, trial->item);
	if (!item && !reader_first(&reader, RECORD_PROCESS))
		status = err_set(err, ENOTSUP,
				 "the dynamic linker did not load dwell into the command");
	else if (!item)
		status = err_set(err, ENOTSUP, "the command ran, but nothing was recorded");
	else if (item->kind == RECORD_SAMPLER)
		status = check_sampler((const struct record_sampler *)item, run, err);
	reader_close(&reader);
	return status;
}

static int launch(struct trial *trial, struct machine_run *run, struct err *err)
{
	static char name[] = "dwell", argument[] = "--version";
	char *const argv[] = { name, argument, NULL };
	struct variables variables;
	struct launch launch = { .path = OURSELVES,
				 .argv = argv,
				 .prepare = prepare,
				 .started = started,
				 .argument = trial };
	int exit_code = 0, status = variables_copy(&variables, environ);

	if (!status)
		status = injection_set_variables(&trial->injection, trial->creation.path,
						 &variables);
	launch.environment = variables.list;
	status = status ? err_no_memory(err) : launch_run(&launch, &exit_code, err);
	variables_free(&variables);
	if (!status && exit_code)
		status = err_set(err, ENOTSUP, "the command failed under dwell");
	return status ? status : check(trial, run, err);
}

static int try_in(struct trial *trial, const char *path, struct machine_run *run, struct err *err)
{
	int status = create_open(&trial->creation, path, &trial->create, err);

	if (status)
		return status;
	status = launch(trial, run, err);
	create_remove(&trial->creation);
	create_close(&trial->creation);
	return status;
}

/* Records outside the current directory: whether a recording can be written there is another check.
 */
static int try(struct trial *trial, struct machine_run *run, struct err *err)
{
	const char *tmpdir = getenv("TMPDIR");
	char folder[PATH_MAX], path[PATH_MAX + 8];
	int status = injection_find(&trial->injection, trial->parts, NULL, err);

	if (status)
		return status;
	snprintf(folder, sizeof(folder), "%s/dwell-XXXXXX", tmpdir && *tmpdir ? tmpdir : "/tmp");
	if (mkdtemp(folder)) {
		snprintf(path, sizeof(path), "%s/data", folder);
		status = try_in(trial, path, run, err);
		rmdir(folder);
	} else {
		status = err_set(err, errno, "cannot create '%s': %s", folder, strerror(errno));
	}
	injection_free(&trial->injection);
	return status;
}

static void run_one(struct trial trial, struct machine_run *run)
{
	static char name[] = "dwell";
	char *const command[] = { name, NULL };
	struct err err;

	trial.create.command = command;
	run->works = try(&trial, run, &err) == 0;
	if (!run->works)
		snprintf(run->why, sizeof(run->why), "%.190s", err.text);
}

void machine_try_runs(struct machine *machine)
{
	struct spec_list all = { 0 };
	struct trial audit = { .parts = INJECTION_CALLS | INJECTION_AUDITOR,
			       .create = { .chosen = &all },
			       .item = RECORD_CALLS };
	struct trial got = { .parts = INJECTION_CALLS,
			     .create = { .flags = RECORD_VIA_GOT, .chosen = &all },
			     .item = RECORD_CALLS };
	struct trial record = { .parts = INJECTION_RECORD,
				.create = { .hz = 999 },
				.item = RECORD_SAMPLER };
	struct err err;

	machine->has_musl = injection_has_musl();
	/* Without memory for a glob, nothing else would work either. */
	if (spec_list_add(&all, "*", &err) == 0) {
		run_one(audit, &machine->audit);
		run_one(got, &machine->got);
		run_one(record, &machine->record);
	}
	spec_list_free(&all);
}
