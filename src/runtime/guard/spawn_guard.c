/* SPDX-License-Identifier: MIT
 *
 * spawn_guard.c - interposes the functions of libc that execute programs without those in
 * exec_guard.c: see successor.h.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/export.h"
#include "interpose.h"
#include "successor.h"

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

static struct {
	spawn_function *posix_spawn, *posix_spawnp;
	int (*system)(const char *);
	FILE *(*popen)(const char *, const char *);
} libc;

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc.posix_spawn, "posix_spawn");
	INTERPOSE_FIND(libc.posix_spawnp, "posix_spawnp");
	INTERPOSE_FIND(libc.popen, "popen");
	INTERPOSE_FIND(libc.system, "system");
}

static void guard_init(void)
{
	if (!libc.system)
		guard_at_load();
}

#define GUARD_SPAWN(name)                                                                          \
	EXPORT int name(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,   \
			const posix_spawnattr_t *attributes, char *const argv[],                   \
			char *const envp[])                                                        \
	{                                                                                          \
		size_t bytes = successor_bytes(envp);                                              \
		int result;                                                                        \
                                                                                                   \
		guard_init();                                                                      \
		if (bytes)                                                                         \
			envp = successor_environment(envp, __builtin_alloca(bytes));               \
		result = libc.name(pid, path, actions, attributes, argv, envp);                    \
		if (result && bytes)                                                               \
			successor_failed();                                                        \
		return result;                                                                     \
	}

GUARD_SPAWN(posix_spawn)
GUARD_SPAWN(posix_spawnp)

/* Both execute a shell with the current environment. */
EXPORT int system(const char *command)
{
	guard_init();
	if (command)
		successor_is_lost();
	return libc.system(command);
}

EXPORT FILE *popen(const char *command, const char *kind)
{
	guard_init();
	successor_is_lost();
	return libc.popen(command, kind);
}
