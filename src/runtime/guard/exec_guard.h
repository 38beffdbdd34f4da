/* SPDX-License-Identifier: MIT
 *
 * exec_guard.h - stands in front of libc's exec functions. Static programs lack it.
 */
#ifndef DWELL_RUNTIME_GUARD_EXEC_GUARD_H
#define DWELL_RUNTIME_GUARD_EXEC_GUARD_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether exec() of the program passes by us. */
__attribute__((weak)) bool exec_guard_in_place(void);

static inline bool exec_guard_works(void)
{
	return exec_guard_in_place && exec_guard_in_place();
}

/*
 * The environment that the next program gets. All of them run in any context, in the child of
 * vfork() as well. None allocates, waits, or touches errno, which after a failed exec says why.
 */
struct exec_environment {
	/* Returns how many bytes another environment takes; 0: the program gets envp. */
	size_t (*bytes)(char *const envp[]);
	/* Makes the other environment, in as many bytes of the caller's. */
	char **(*make)(char *const envp[], void *bytes);
	/* No program was executed with it. */
	void (*failed)(void);
};

/* From now on, programs get their environments from there. Without it, each gets what it is given.
 */
void exec_guard_use(const struct exec_environment *environment);

#endif
