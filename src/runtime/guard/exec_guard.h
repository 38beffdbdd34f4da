/* SPDX-License-Identifier: MIT
 *
 * exec_guard.h - interposes libc's exec functions. Static programs lack it.
 */
#ifndef DWELL_RUNTIME_GUARD_EXEC_GUARD_H
#define DWELL_RUNTIME_GUARD_EXEC_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the program's exec() calls come here. */
__attribute__((weak)) bool exec_guard_in_place(void);

static inline bool exec_guard_works(void)
{
	return exec_guard_in_place && exec_guard_in_place();
}

/*
 * The environment of the next program. All functions run in any context, including the child of
 * vfork(). None allocates, waits, or changes errno, which holds the reason of a failed exec.
 */
struct exec_environment {
	/* Returns the size of a changed environment in bytes; 0: the program gets envp. */
	size_t (*bytes)(char *const envp[]);
	/* Makes the changed environment, in as many bytes of the caller's. */
	char **(*make)(char *const envp[], void *bytes);
	/* Called if the exec has failed. */
	void (*failed)(void);
};

/*
 * Sets the environments of programs that are executed from now on. Without it, they are unchanged.
 */
void exec_guard_use(const struct exec_environment *environment);

#endif
