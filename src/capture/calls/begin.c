/* SPDX-License-Identifier: MIT
 *
 * begin.c - the runtime's constructor, which the linker calls before those of other objects (-z
 * initfirst).
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/calls/calls.h"
#include "capture/calls/choice.h"
#include "capture/calls/got.h"
#include "capture/calls/runtime.h"

/* The value of a variable; NULL: it is not set. libc does not know the environment yet. */
static char *value_of(char **environment, const char *variable)
{
	size_t length = strlen(variable);

	for (; *environment; environment++)
		if (strncmp(*environment, variable, length) == 0 && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static void unset(char **environment, const char *variable)
{
	char *value = value_of(environment, variable);

	if (!value)
		return;
	while (*environment + strlen(variable) + 1 != value)
		environment++;
	do
		environment[0] = environment[1];
	while (*environment++);
}

/* Takes the entry of ours out of a list of libraries, or the whole variable if there is no other.
 */
static void remove_from(char **environment, const char *variable, const char *name)
{
	char *list = value_of(environment, variable), *ours = list ? strstr(list, name) : NULL;
	char *start = ours, *end;

	if (!ours)
		return;
	while (start > list && start[-1] != ':' && start[-1] != ' ')
		start--;
	end = ours + strcspn(ours, ": ");
	end += *end != '\0';
	memmove(start, end, strlen(end) + 1);
	if (!*list)
		unset(environment, variable);
}

/* Programs that this one starts are none of ours. */
static void leave_no_trace(char **environment)
{
	remove_from(environment, "LD_PRELOAD", "libdwell-calls.so");
	remove_from(environment, "LD_AUDIT", "libdwell-audit.so");
	remove_from(environment, "GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=16384");
	unset(environment, "DWELL_DATA");
}

/* Where the linker knows no auditors, or the user wants none. */
static void begin_without_auditor(const char *data, const char *library)
{
	if (choice_load(data) == 0 && dwell_calls_attach(data, library) == 0)
		got_walk(GOT_EARLY);
}

/* Which file this library was loaded from. */
static const char *own_path(void)
{
	Dl_info info;

	return dladdr(arch_stubs, &info) ? strdup(info.dli_fname) : NULL;
}

__attribute__((constructor)) static void begin(int argc, char **argv, char **environment)
{
	const char *data = value_of(environment, "DWELL_DATA");

	(void)argc;
	(void)argv;
	if (!room_header() && data)
		begin_without_auditor(strdup(data), own_path());
	if (room_header() && calls_state.flags & RECORD_NO_FOLLOW)
		leave_no_trace(environment);
}
