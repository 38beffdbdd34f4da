/* SPDX-License-Identifier: MIT
 *
 * address_guard.h - dladdr() and its kin in front of libc's: see address_guard.c.
 */
#ifndef DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H
#define DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H

/* What calls/ knows of an address. Both are async-signal-safe. */
struct address_calls {
	/* Returns the function that a redirector stands for, or else the address. */
	const void *(*redirected)(const void *address);
	/* Returns the name of the function that one of ours is in the place of without being called
	 * like it; NULL: there is none. */
	const char *(*replaced)(const void *address);
};

/* Has both asked from now on. */
void address_guard_use(const struct address_calls *calls);

#endif
