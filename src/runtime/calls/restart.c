/* SPDX-License-Identifier: MIT */
#include "restart.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/process/environment.h"
#include "sys.h"

/* The linker adds this to the size for each auditor, for its own libc and other libraries. */
#define ADDED_BYTES 288

/*
 * The runtimes take a few bytes, and the linker rounds the size up to a multiple of this. A program
 * may have that much less for the libraries that it opens.
 */
#define ROUNDED_BYTES 64

/*
 * Blocks of a larger alignment fit only if the linker took them into account when it placed the
 * block.
 */
#define ALIGNMENT_MAX 64

/* Reads the arguments, as consecutive strings. NULL: they cannot be read. */
static char *read_arguments(size_t *size)
{
	int fd = sys_open("/proc/self/cmdline", O_RDONLY);
	size_t room = 0;
	char *text = NULL;
	long count = 1;

	*size = 0;
	while (fd >= 0 && count > 0) {
		if (*size == room) {
			room = room ? 2 * room : 4096;
			text = realloc(text, room);
		}
		count = text ? sys_read(fd, text + *size, room - *size) : -1;
		*size += count > 0 ? (size_t)count : 0;
	}
	sys_close(fd);
	return fd >= 0 && count == 0 ? text : NULL;
}

/*
 * Reads the arguments, but not from the stack: if the linker was executed with the program as its
 * argument, it has removed its own arguments there.
 */
static char **arguments(void)
{
	size_t size, count = 0;
	char *text = read_arguments(&size);
	char **argv = text ? calloc(size + 1, sizeof(*argv)) : NULL;

	for (size_t at = 0; argv && at < size; at += strlen(text + at) + 1)
		argv[count++] = text + at;
	return argv;
}

/*
 * Returns the path that the program was executed by, so that it keeps its name, unless that is a
 * script's.
 */
static const char *program(void)
{
	const char *started_as = (const char *)getauxval(AT_EXECFN), *itself = "/proc/self/exe";
	struct stat own, other;

	if (started_as && stat(itself, &own) == 0 && stat(started_as, &other) == 0 &&
	    own.st_dev == other.st_dev && own.st_ino == other.st_ino)
		return started_as;
	return itself;
}

/*
 * Returns the variables without our auditor. The value for programs that this one starts is kept
 * under another name, see environment_restore_auditors(). NULL: there is no auditor, or no memory.
 */
static char **variables(void)
{
	char *list = environment_value(environ, ENVIRONMENT_AUDITORS);
	char *others[] = { list ? strdup(list - sizeof(ENVIRONMENT_AUDITORS)) : NULL, NULL };
	char **environment;
	size_t count = 0;

	while (environ[count])
		count++;
	environment = others[0] ? calloc(count + 2, sizeof(*environment)) : NULL;
	if (!environment)
		return NULL;
	memcpy(environment, environ, count * sizeof(*environment));
	environment_rename(environment, ENVIRONMENT_AUDITORS, ENVIRONMENT_KEPT_AUDITORS);
	environment_remove(others, ENVIRONMENT_AUDITORS, "libdwell-audit.so");
	environment[count] = others[0];
	return environment;
}

static void become_again(void)
{
	char **argv = arguments(), **environment = argv ? variables() : NULL;

	if (environment)
		SYS3(SYS_execve, program(), argv, environment);
	environment_restore_auditors(environ);
}

/* Adds up the static TLS of libraries. Returns whether that exceeds the space. */
static bool is_short(const struct image *image)
{
	static size_t taken;

	if (!image->static_tls || image_is_program(image->map))
		return false;
	taken += image->static_tls;
	/* The auditor's namespace has another one. */
	if (strcmp(image->soname, "libc.so.6") == 0)
		taken += image->static_tls;
	return taken > ADDED_BYTES + ROUNDED_BYTES || image->tls_alignment > ALIGNMENT_MAX;
}

/* Returns whether it is an AddressSanitizer that looks for TLS module 1. */
static bool wants_first_module(const struct image *image)
{
	static const char name[] = "libasan.so.";

	return sizeof(void *) == 4 && strncmp(image->soname, name, sizeof(name) - 1) == 0;
}

void restart_if_needed(const struct image *image)
{
	static bool was_tried;

	if (was_tried || (!is_short(image) && !wants_first_module(image)))
		return;
	was_tried = true;
	become_again();
}
