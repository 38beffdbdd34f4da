/* SPDX-License-Identifier: MIT
 *
 * probe.h - checks that memory of the program is writable, without risking a fault. Memory that
 * need not be probed: see profil/steady.h.
 */
#ifndef DWELL_RUNTIME_PROCESS_PROBE_H
#define DWELL_RUNTIME_PROCESS_PROBE_H

#include <errno.h>
#include <stdbool.h>

#include "sys.h"

/*
 * Returns whether the page of *address is mapped and writable. The kernel adds 0 to the word
 * (FUTEX_WAKE_OP), atomically, and fails with EFAULT where a store would raise SIGSEGV or SIGBUS.
 * Nothing changes and no thread is woken. Async-signal-safe.
 */
static inline bool probe_writable(const void *address)
{
	uintptr_t word = (uintptr_t)address & ~(uintptr_t)3;
	long err = SYS6(SYS_futex, word, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0, word,
			FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0));

	return err != -EFAULT;
}

/* Returns whether each page of [address, address + size) is writable. */
static inline bool probe_writable_range(const void *address, size_t size)
{
	const uintptr_t page = 4096; /* the smallest page of any supported CPU: larger ones are
					probed more often than needed, never too seldom */
	uintptr_t first = (uintptr_t)address, last = first + size - 1;

	if (size == 0)
		return true;
	if (last < first)
		return false;
	for (uintptr_t at = first;; at = (at & ~(page - 1)) + page) {
		if (!probe_writable((const void *)at))
			return false;
		if (last - (at & ~(page - 1)) < page)
			return true;
	}
}

#endif
