/* SPDX-License-Identifier: MIT
 *
 * address_guard.h - interposes dladdr() and its kin: see address_guard.c.
 */
#ifndef DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H
#define DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct runtime_island;

/* Lookups in calls/. All are async-signal-safe. */ struct address_calls {
	/* Returns the function that a redirector stands for, or else the address. */
	const void *(*redirected)(const void *address);
	/*
	 * Returns the name of the function that one of ours replaces under another name; NULL:
	 * none.
	 */
	const char *(*replaced)(const void *address);
	/* Finds the copied instructions that an address is in: see calls/islands.h. */
	bool (*island)(uintptr_t address, struct runtime_island *island);
};

/* Enables the lookups. */
void address_guard_use(const struct address_calls *calls);

/* Returns whether the code belongs to an unwinder. Async-signal-safe. */
bool address_guard_is_unwinder(const void *code);

/* Returns our _dl_find_object(); NULL: libc has none. */
void *address_guard_finder(void);

#endif
