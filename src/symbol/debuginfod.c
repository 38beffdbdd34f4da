/* SPDX-License-Identifier: MIT */
#include "symbol/debuginfod.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#define LIBRARY "libdebuginfod.so.1"

/* From elfutils' <elfutils/debuginfod.h>, which need not be installed. */
struct debuginfod_client;
typedef int progressfn(struct debuginfod_client *client, long done, long total);

struct calls {
	struct debuginfod_client *(*begin)(void);
	void (*end)(struct debuginfod_client *client);
	int (*find_debuginfo)(struct debuginfod_client *client, const unsigned char *build_id,
			      int build_id_len, char **path);
	void (*set_progressfn)(struct debuginfod_client *client, progressfn *function);
};

struct debuginfod {
	void *library;
	struct calls calls;
	struct debuginfod_client *client;
	struct debuginfod_limits limits;
	debuginfod_progress *progress;
	struct debuginfod_outcome outcome;
	double spent_s; /* waiting for all files so far */
	double began_s; /* start of the wait for the current file */
	double limit_s; /* for the current file */
	const char *title;
};

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Finds a function. dlsym() returns a pointer to data; C has no other conversion to a function. */
static bool find_call(void *library, const char *name, void *call)
{
	void *found = dlsym(library, name);

	*(void **)call = found;
	return found;
}

static bool find_calls(struct debuginfod *debuginfod)
{
	void *library = debuginfod->library;
	struct calls *calls = &debuginfod->calls;

	return find_call(library, "debuginfod_begin", &calls->begin) &&
	       find_call(library, "debuginfod_end", &calls->end) &&
	       find_call(library, "debuginfod_find_debuginfo", &calls->find_debuginfo) &&
	       find_call(library, "debuginfod_set_progressfn", &calls->set_progressfn);
}

/* The current waiter: libdebuginfod's calls that would return it are in the struct itself. */
static struct debuginfod *waiting;

/* Returns nonzero to end the search. */
static int on_progress(struct debuginfod_client *client, long done, long total)
{
	(void)client;
	if (waiting->progress)
		waiting->progress(waiting->title, done, total);
	return now_s() - waiting->began_s > waiting->limit_s;
}

static int load(struct debuginfod *debuginfod, struct err *err)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	if (!urls || !*urls)
		return err_set(err, EINVAL, "--debuginfod: DEBUGINFOD_URLS names no server");
	debuginfod->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!debuginfod->library || !find_calls(debuginfod))
		return err_set(err, ENOENT,
			       "--debuginfod needs " LIBRARY ", which is in the package "
			       "libdebuginfod1");
	debuginfod->client = debuginfod->calls.begin();
	return debuginfod->client ? 0 : err_no_memory(err);
}

int debuginfod_open(struct debuginfod **opened, const struct debuginfod_limits *limits,
		    debuginfod_progress *progress, struct err *err)
{
	struct debuginfod *debuginfod = calloc(1, sizeof(*debuginfod));
	int status;

	if (!debuginfod)
		return err_no_memory(err);
	debuginfod->limits = *limits;
	debuginfod->progress = progress;
	status = load(debuginfod, err);
	if (status) {
		debuginfod_close(debuginfod);
		return status;
	}
	debuginfod->calls.set_progressfn(debuginfod->client, on_progress);
	*opened = debuginfod;
	return 0;
}

void debuginfod_close(struct debuginfod *debuginfod)
{
	if (!debuginfod)
		return;
	if (debuginfod->client)
		debuginfod->calls.end(debuginfod->client);
	/* The library stays loaded: curl has exit handlers there. */
	free(debuginfod);
}

/* Returns true if time is left for one more file, and sets its limit. */
static bool take_time(struct debuginfod *debuginfod)
{
	double left_s = debuginfod->limits.all_s - debuginfod->spent_s;

	debuginfod->began_s = now_s();
	debuginfod->limit_s =
		left_s < debuginfod->limits.file_s ? left_s : debuginfod->limits.file_s;
	return left_s > 0;
}

int debuginfod_fetch(struct debuginfod *debuginfod, const struct build_id *id, const char *title)
{
	double took_s;
	int fd;

	if (id->size == 0)
		return -ENOENT;
	if (!take_time(debuginfod)) {
		debuginfod->outcome.unasked++;
		return -ENOENT;
	}
	debuginfod->title = title;
	waiting = debuginfod;
	fd = debuginfod->calls.find_debuginfo(debuginfod->client, id->bytes, (int)id->size, NULL);
	if (debuginfod->progress)
		debuginfod->progress(NULL, 0, 0);
	took_s = now_s() - debuginfod->began_s;
	debuginfod->spent_s += took_s;
	if (fd >= 0)
		debuginfod->outcome.found++;
	else if (took_s > debuginfod->limit_s)
		debuginfod->outcome.late++;
	return fd >= 0 ? fd : -ENOENT;
}

struct debuginfod_outcome debuginfod_outcome(const struct debuginfod *debuginfod)
{
	return debuginfod->outcome;
}
