/* SPDX-License-Identifier: MIT
 *
 * thread_hook.h - notices the start and end of threads.
 */
#ifndef DWELL_RUNTIME_SAMPLER_THREAD_HOOK_H
#define DWELL_RUNTIME_SAMPLER_THREAD_HOOK_H

#include <stdbool.h>

/*
 * Returns whether the pthread_create() that the program calls is ours. Weak: static programs lack
 * it.
 */
__attribute__((weak)) bool thread_hook_in_place(void);

static inline bool thread_hook_works(void)
{
	return thread_hook_in_place && thread_hook_in_place();
}

/* Gives libc's key back. From now on, threads start and end as without us. */
void thread_hook_retire(void);

#endif
