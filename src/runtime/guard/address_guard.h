/* SPDX-License-Identifier: MIT
 *
 * address_guard.h - dladdr() and its kin in front of libc's: see address_guard.c.
 */
#ifndef DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H
#define DWELL_RUNTIME_GUARD_ADDRESS_GUARD_H

/* Returns the function that a redirector of libdwell-calls.so stands for, or else the address. NULL
 * where that runtime is not loaded. Async-signal-safe. */
const void *dwell_calls_redirected(const void *address) __attribute__((weak));

/* Returns the name of the function that one of libdwell-calls.so is in the place of without being
 * called like it; NULL: there is none. Async-signal-safe. */
const char *dwell_calls_replaced(const void *address) __attribute__((weak));

#endif
