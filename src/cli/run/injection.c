/* SPDX-License-Identifier: MIT */
#include "injection.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/limits.h"
#include "machines.h"

/* Indexed by the bits of enum injection_part. */
static const char *const names[] = {
	"libdwell-calls.so",
	"libdwell-audit.so",
	"libdwell-record.so",
};

/* The installed libraries, relative to the folder of the program unless it is a full path, and
 * those of a build. Below there is a folder for each kind of program that this machine runs. */
#ifndef DWELL_LIBRARIES
#define DWELL_LIBRARIES "../lib/dwell"
#endif
#define BUILT_LIBRARIES "runtime"

/* Finds the folder of our own program, without a trailing slash. Without /proc, AT_EXECFN is used.
 */
static int own_folder(char folder[PATH_MAX], struct err *err)
{
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);
	const char *started_as = (const char *)getauxval(AT_EXECFN);

	if (length >= 0)
		folder[length] = '\0';
	else if (!started_as || !realpath(started_as, folder))
		return err_set(err, ENOENT,
			       "cannot find dwell's libraries: /proc is not mounted, and "
			       "DWELL_LIBDIR is not set");
	*strrchr(folder, '/') = '\0';
	return 0;
}

/* Finds the folder that contains the folders of our libraries: the installed one, or that of the
 * build. */
static int library_folder(char folder[PATH_MAX], struct err *err)
{
	const char *libdir = getenv("DWELL_LIBDIR");
	char own[PATH_MAX], path[2 * PATH_MAX];
	int status;

	if (libdir && *libdir) {
		if (realpath(libdir, folder))
			return 0;
		return err_set(err, errno,
			       "cannot find dwell's libraries: there is no directory '%s'", libdir);
	}
	status = own_folder(own, err);
	if (status)
		return status;
	snprintf(path, sizeof(path), "%s/%s", *DWELL_LIBRARIES == '/' ? "" : own, DWELL_LIBRARIES);
	if (realpath(path, folder))
		return 0;
	snprintf(path, sizeof(path), "%s/%s", own, BUILT_LIBRARIES);
	if (realpath(path, folder))
		return 0;
	return err_set(err, ENOENT,
		       "cannot find dwell's libraries: set DWELL_LIBDIR to their directory");
}

/* Programs of one kind run programs of another, so each linker has to find its own libraries by the
 * same name. glibc's linker replaces this by the name of its machine. musl's takes it literally,
 * and a folder of that name contains the libraries for musl. If it is missing, musl continues
 * silently. A nameless machine, whose linker knows no name, runs programs of one kind. */
#define FOLDER_OF_LINKER "$PLATFORM"

/* Checks for the one folder of that name, which serves programs of the machine that we run on. */
static int check_musl(const struct elf_program *program, struct err *err)
{
	if (!program->is_musl || strcmp(program->platform, arch_machines[0].platform) == 0)
		return 0;
	return err_set(err, ENOTSUP,
		       "dwell records musl programs for %s only, and this one is for %s",
		       arch_machines[0].platform, program->platform);
}

static bool is_there(const char *folder, const char *platform, const char *name)
{
	char path[2 * PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", folder, platform, name);
	return access(path, R_OK) == 0;
}

static int find_library(char **path, const char *folder, const struct elf_program *program,
			const char *name, struct err *err)
{
	if (!is_there(folder, program->is_musl ? FOLDER_OF_LINKER : program->platform, name))
		return err_set(err, ENOENT, "dwell's library %s is not installed for %s programs%s",
			       name, program->platform, program->is_musl ? " that use musl" : "");
	/* The linker would take these for the end of a name, or for a variable. */
	if (folder[strcspn(folder, " :;$")])
		return err_set(
			err, EINVAL,
			"the dynamic linker cannot load from '%s': the path contains one of ' :;$'",
			folder);
	if (asprintf(path, "%s/%s/%s", folder,
		     program->is_nameless ? program->platform : FOLDER_OF_LINKER, name) < 0)
		return err_no_memory(err);
	return 0;
}

/*
 * Limits that a program needs: base/limits.h. If a library of ours finds too little, linkers end
 * the program.
 */
struct need {
	int kind;
	const char *what, *option;
	rlim_t calls_mb, record_mb;
};

static const struct need needs[] = {
	{ RLIMIT_AS, "address space", "ulimit -v", LIMIT_CALLS_ADDRESS_MB,
	  LIMIT_RECORD_ADDRESS_MB },
	{ RLIMIT_DATA, "data", "ulimit -d", LIMIT_DATA_MB, LIMIT_DATA_MB },
};

static int check_limit(const struct need *need, unsigned parts, struct err *err)
{
	rlim_t needed = (parts & INJECTION_CALLS ? need->calls_mb : 0) +
			(parts & INJECTION_RECORD ? need->record_mb : 0);
	struct rlimit limit;

	if (getrlimit(need->kind, &limit) == 0 && limit.rlim_cur >> 20 < needed)
		return err_set(err, ENOMEM,
			       "the limit on %s is %ju MB, but dwell needs %ju MB (%s)", need->what,
			       (uintmax_t)limit.rlim_cur >> 20, (uintmax_t)needed, need->option);
	return 0;
}

static int check_limits(unsigned parts, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < sizeof(needs) / sizeof(needs[0]) && !status; i++)
		status = check_limit(&needs[i], parts, err);
	return status;
}

int injection_find(struct injection *injection, unsigned parts, const struct elf_program *program,
		   struct err *err)
{
	const struct elf_program own = { .platform = arch_machines[0].platform,
					 .is_nameless = arch_machines[0].is_nameless };
	char folder[PATH_MAX];
	char **paths[] = { &injection->calls, &injection->auditor, &injection->record };
	int status;

	*injection = (struct injection){ 0 };
	if (!program || !program->platform)
		program = &own;
	status = check_musl(program, err);
	if (!status)
		status = check_limits(parts, err);
	if (!status)
		status = library_folder(folder, err);
	if (parts & INJECTION_CALLS)
		parts &= ~(unsigned)INJECTION_RECORD; /* it is in there */
	for (unsigned i = 0; i < sizeof(paths) / sizeof(paths[0]) && !status; i++)
		if (parts >> i & 1)
			status = find_library(paths[i], folder, program, names[i], err);
	if (status)
		injection_free(injection);
	return status;
}

int injection_find_runtime(char **path, struct err *err)
{
	char folder[PATH_MAX], name[2 * PATH_MAX];
	int status = library_folder(folder, err);

	if (status)
		return status;
	snprintf(name, sizeof(name), "%s/%s/%s", folder, arch_machines[0].platform, names[0]);
	*path = realpath(name, NULL);
	if (!*path)
		return err_set(err, errno, "cannot find dwell's library '%s': %s", name,
			       strerror(errno));
	return 0;
}

bool injection_has_musl(void)
{
	char folder[PATH_MAX];
	struct err err;

	return !library_folder(folder, &err) && is_there(folder, FOLDER_OF_LINKER, names[2]);
}

void injection_free(struct injection *injection)
{
	free(injection->calls);
	free(injection->auditor);
	free(injection->record);
	*injection = (struct injection){ 0 };
}

/* Returns whether the library is in a list separated by colons or blanks. */
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

static bool is_ours(const char *path, size_t length)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t own = strlen(names[i]);

		if (length > own && path[length - own - 1] == '/' &&
		    memcmp(path + length - own, names[i], own) == 0)
			return true;
	}
	return false;
}

/* Removes our libraries from a list, except `library` (NULL: all): if dwell runs under dwell, the
 * outer one's are there, and no process loads two. */
static void cut_ours(char *libraries, const char *library)
{
	while (*libraries) {
		size_t length = strcspn(libraries, ": ");
		char *next = libraries + length + (libraries[length] != '\0');

		if (is_ours(libraries, length) && !(library && length == strlen(library) &&
						    memcmp(libraries, library, length) == 0))
			memmove(libraries, next, strlen(next) + 1);
		else
			libraries = next;
	}
}

/* Prepends a library (NULL: none) to the variable, unless it is there already because dwell runs
 * under dwell. */
static int prepend(struct variables *variables, const char *variable, const char *library)
{
	const char *present = variables_get(variables, variable);
	char *others, *value = NULL;
	int status;

	if (!present || !*present)
		return library ? variables_set(variables, variable, library) : 0;
	others = strdup(present);
	if (!others)
		return -ENOMEM;
	cut_ours(others, library);
	if (library && !has(others, library) && asprintf(&value, "%s:%s", library, others) < 0)
		status = -ENOMEM;
	else
		status = variables_set(variables, variable, value ? value : others);
	free(value);
	free(others);
	return status;
}

int injection_set_variables(const struct injection *injection, const char *data,
			    struct variables *variables)
{
	int status = variables_set(variables, "DWELL_DATA", data);

	if (!status)
		status = prepend(variables, "LD_PRELOAD",
				 injection->calls ? injection->calls : injection->record);
	if (!status)
		status = prepend(variables, "LD_AUDIT", injection->auditor);
	return status;
}
