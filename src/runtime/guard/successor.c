/* SPDX-License-Identifier: MIT */
#include "successor.h"

#include <errno.h>
#include <limits.h>
#include <linux/capability.h>
#include <string.h>
#include <unistd.h>

#include "runtime/process/environment.h"
#include "runtime/process/link_maps.h"
#include "recording/write/room.h"
#include "sys.h"

/* A larger environment would take too much stack, and is left as it is. */
#define BYTES_MAX (64 << 10)

/* Variables that may contain our entries. */
static const char *const lists[][2] = {
	{ "LD_PRELOAD", "libdwell-calls.so" },
	{ "LD_PRELOAD", "libdwell-record.so" },
	{ "LD_AUDIT", "libdwell-audit.so" },
};

#define LISTS (sizeof(lists) / sizeof(lists[0]))

/* The file that this library was loaded from; "": unknown. */
static char library[PATH_MAX];

__attribute__((constructor)) static void find_library(void)
{
	const struct link_map *own = link_maps_own();

	if (own && strlen(own->l_name) < sizeof(library))
		strcpy(library, own->l_name);
}

/* Returns 0 or -errno. */
static int open_both(void)
{
	int fd, err = room_reach();

	if (err || !*library)
		return err;
	fd = sys_open(library, O_RDONLY);
	if (fd < 0)
		return fd;
	sys_close(fd);
	return 0;
}

/* The capabilities of the calling thread only. */
struct capabilities {
	struct __user_cap_header_struct header;
	struct __user_cap_data_struct data[2];
};

static bool capabilities_get(struct capabilities *all)
{
	all->header.version = _LINUX_CAPABILITY_VERSION_3;
	all->header.pid = 0;
	return SYS2(SYS_capget, &all->header, all->data) == 0;
}

/*
 * Opens both as the next program would. A process that has become another user may have kept
 * capabilities, which exec() takes away. Signals are blocked, so that no handler of the program
 * finds them missing.
 */
static int open_both_without(struct capabilities *kept)
{
	struct capabilities none = *kept;
	sys_sigset all = ~(sys_sigset)0, mask;
	int err;

	none.data[0].effective = none.data[1].effective = 0;
	sys_sigprocmask(SIG_SETMASK, &all, &mask);
	SYS2(SYS_capset, &none.header, none.data);
	err = open_both();
	SYS2(SYS_capset, &kept->header, kept->data);
	sys_sigprocmask(SIG_SETMASK, &mask, NULL);
	return err;
}

/* Returns the value of a variable of an environment; NULL: it has none. */
static const char *value_of(char *const envp[], const char *name)
{
	size_t length = strlen(name);

	for (; envp && *envp; envp++)
		if (strncmp(*envp, name, length) == 0 && (*envp)[length] == '=')
			return *envp + length + 1;
	return NULL;
}

/* Returns whether the linker would load us, and we would find the recording. */
static bool has_us(char *const envp[])
{
	const char *preloaded = value_of(envp, "LD_PRELOAD"), *data = value_of(envp, "DWELL_DATA");

	return preloaded && data && *data &&
	       (strstr(preloaded, "libdwell-record.so") || strstr(preloaded, "libdwell-calls.so"));
}

/* Returns whether the error may not hold for the next program: descriptors may be closed by then.
 */
static bool is_passing(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM;
}

/*
 * Returns why a program with that environment cannot be recorded: -errno; -ELIBACC: it would not
 * load us. 0: it can. Checked even if no rights were given up through libc: a raw clone() and
 * pivot_root() bypass it.
 */
static int obstacle(char *const envp[])
{
	struct capabilities kept;
	int err;

	if (!room_header() || room_header()->flags & RECORD_NO_FOLLOW)
		return 0;
	if (!has_us(envp))
		return -ELIBACC;
	/* Programs executed by root get all of them again. */
	if (SYS0(SYS_geteuid) != 0 && capabilities_get(&kept) &&
	    (kept.data[0].effective || kept.data[1].effective))
		err = open_both_without(&kept);
	else
		err = open_both();
	return is_passing(err) ? 0 : err;
}

/* Returns whether the entry is one that needs changes, and so a copy. */
static bool is_list(const char *entry)
{
	for (size_t i = 0; i < LISTS; i++) {
		size_t length = strlen(lists[i][0]);

		if (strncmp(entry, lists[i][0], length) == 0 && entry[length] == '=')
			return true;
	}
	return false;
}

size_t successor_bytes(char *const envp[])
{
	size_t bytes = sizeof(*envp);

	if (!obstacle(envp))
		return 0;
	for (; envp && *envp; envp++)
		bytes += sizeof(*envp) + (is_list(*envp) ? strlen(*envp) + 1 : 0);
	return bytes <= BYTES_MAX ? bytes : 0;
}

/* Copies the entries; those that change are stored behind them. */
static void copy(char **to, char *const envp[])
{
	size_t count = 0;
	char *text;

	while (envp && envp[count])
		count++;
	text = (char *)(to + count + 1);
	for (size_t i = 0; i < count; i++) {
		to[i] = envp[i];
		if (!is_list(envp[i]))
			continue;
		to[i] = strcpy(text, envp[i]);
		text += strlen(text) + 1;
	}
	to[count] = NULL;
}

void successor_leave_out(char **environment)
{
	for (size_t i = 0; i < LISTS; i++)
		environment_remove(environment, lists[i][0], lists[i][1]);
	environment_unset(environment, "DWELL_DATA");
}

char **successor_environment(char *const envp[], void *bytes)
{
	char **environment = bytes;

	copy(environment, envp);
	successor_leave_out(environment);
	room_lost_program(obstacle(envp));
	return environment;
}

void successor_is_lost(void)
{
	int err = obstacle(environ);

	if (err)
		room_lost_program(err);
}

void successor_failed(void)
{
	room_found_program();
}

const struct exec_environment successor_of_exec = { successor_bytes, successor_environment,
						    successor_failed };
