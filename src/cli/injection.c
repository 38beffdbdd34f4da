/* SPDX-License-Identifier: MIT */
#include "cli/injection.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* By the bits of enum injection_part. */
static const struct {
	const char *name;
	const char *built_in; /* the folder where a build leaves it */
} known[] = {
	{ "libdwell-calls.so", "src/capture/calls" },
	{ "libdwell-audit.so", "src/capture/calls" },
	{ "libdwell-record.so", "src/capture/record" },
};

/* Where they are installed, seen from the folder of the program if it is not a full path. */
#ifndef DWELL_LIBRARIES
#define DWELL_LIBRARIES "../lib/dwell"
#endif

/* The folder of our own program, without a slash at its end. */
static int own_folder(char folder[PATH_MAX], struct err *err)
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

	if (length < 0)
		return err_set(err, errno, "cannot find the libraries of dwell: %s",
			       strerror(errno));
	folder[length] = '\0';
	*strrchr(folder, '/') = '\0';
	return 0;
}

/* NULL: it is not there. To be freed. */
static char *in_folder(const char *folder, const char *below, const char *name)
{
	char *path, *real;

	if (asprintf(&path, "%s/%s/%s", folder, below, name) < 0)
		return NULL;
	real = realpath(path, NULL);
	free(path);
	return real;
}

/* Installed beside the program's folder, or as the build leaves them. */
static int find_library(char **path, unsigned number, struct err *err)
{
	const char *told = getenv("DWELL_LIBDIR"), *name = known[number].name;
	char folder[PATH_MAX];
	int status;

	if (told && *told) {
		*path = in_folder(told, ".", name);
	} else {
		status = own_folder(folder, err);
		if (status)
			return status;
		*path = in_folder(*DWELL_LIBRARIES == '/' ? "" : folder, DWELL_LIBRARIES, name);
		if (!*path)
			*path = in_folder(folder, known[number].built_in, name);
	}
	if (!*path)
		return err_set(err, ENOENT, "the library %s of dwell is not there", name);
	/* What the linker would take for the end of a name, or for a variable. */
	if ((*path)[strcspn(*path, " :;$")])
		return err_set(err, EINVAL,
			       "the linker cannot load '%s': there is one of ' :;$' in its name",
			       *path);
	return 0;
}

/* The runtime reserves address space for calls under way, up to a million at once. */
static int check_address_space(struct err *err)
{
	const rlim_t needed = (rlim_t)512 << 20;
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < needed)
		return err_set(
			err, ENOMEM,
			"the limit of address space is %ju MB, and dwell needs %ju (ulimit -v)",
			(uintmax_t)limit.rlim_cur >> 20, (uintmax_t)needed >> 20);
	return 0;
}

int injection_find(struct injection *injection, unsigned parts, struct err *err)
{
	char **paths[] = { &injection->calls, &injection->auditor, &injection->record };
	int status;

	*injection = (struct injection){ 0 };
	status = parts & INJECTION_CALLS ? check_address_space(err) : 0;
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]) && !status; i++)
		if (parts >> i & 1)
			status = find_library(paths[i], i, err);
	if (status)
		injection_free(injection);
	return status;
}

void injection_free(struct injection *injection)
{
	free(injection->calls);
	free(injection->auditor);
	free(injection->record);
	*injection = (struct injection){ 0 };
}

/* Whether the library is among those that are separated by colons or blanks. */
static bool has(const char *libraries, const char *library)
{
	size_t length = strlen(library);

	while (*libraries) {
		size_t own = strcspn(libraries, ": ");

		if (own == length && memcmp(libraries, library, length) == 0)
			return true;
		libraries += own + (libraries[own] != '\0');
	}
	return false;
}

/* Puts a library in front of those that the variable has. If it is there, because we are run under
 * ourselves, once is enough. */
static int prepend(const char *variable, const char *library)
{
	const char *others = getenv(variable);
	char *value;
	int status;

	if (!others || !*others)
		return setenv(variable, library, 1);
	if (has(others, library))
		return 0;
	if (asprintf(&value, "%s:%s", library, others) < 0)
		return -1;
	status = setenv(variable, value, 1);
	free(value);
	return status;
}

/*
 * Where there is an auditor, glibc lays out the memory of thread variables before it has seen all
 * libraries, and leaves little for those that come with many. It can be told to leave more.
 */
static int leave_room_for_thread_variables(void)
{
	const char *tunable = "glibc.rtld.optional_static_tls", *others = getenv("GLIBC_TUNABLES");
	char *value;
	int status;

	if (others && strstr(others, tunable))
		return 0;
	if (asprintf(&value, "%s%s%s=16384", others ? others : "", others && *others ? ":" : "",
		     tunable) < 0)
		return -1;
	status = setenv("GLIBC_TUNABLES", value, 1);
	free(value);
	return status;
}

int injection_set_environment(const struct injection *injection, const char *data)
{
	int status = setenv("DWELL_DATA", data, 1);

	/* The last of ours is the first whose constructor runs: see capture/record/begin.c. */
	if (!status && injection->calls)
		status = prepend("LD_PRELOAD", injection->calls);
	if (!status && injection->record)
		status = prepend("LD_PRELOAD", injection->record);
	if (!status && injection->auditor)
		status = prepend("LD_AUDIT", injection->auditor);
	if (!status && injection->auditor)
		status = leave_room_for_thread_variables();
	return status ? -ENOMEM : 0;
}
