/* SPDX-License-Identifier: MIT
 *
 * mutex.h - a lock for code that must not call pthread_mutex_lock(), which may be a function of the
 * program or of a sanitizer that is not ready before its constructor has run.
 *
 * Not in signal handlers.
 */
#ifndef DWELL_RUNTIME_PROCESS_MUTEX_H
#define DWELL_RUNTIME_PROCESS_MUTEX_H

#include <stdbool.h>

#include "sys.h"

/* MUTEX_AWAITED: held, and another thread may be waiting. */
enum mutex_state { MUTEX_FREE, MUTEX_HELD, MUTEX_AWAITED };

static inline void mutex_take(uint32_t *mutex)
{
	uint32_t expected = MUTEX_FREE;

	if (__atomic_compare_exchange_n(mutex, &expected, MUTEX_HELD, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(mutex, MUTEX_AWAITED, __ATOMIC_ACQUIRE) != MUTEX_FREE)
		sys_futex_wait(mutex, MUTEX_AWAITED);
}

static inline void mutex_release(uint32_t *mutex)
{
	if (__atomic_exchange_n(mutex, MUTEX_FREE, __ATOMIC_RELEASE) == MUTEX_AWAITED)
		sys_futex_wake_one(mutex);
}

#endif
