/* SPDX-License-Identifier: MIT
 *
 * bind.h - the registry of functions and objects behind runtime.h.
 *
 * A function is identified by its object, symbol and version; a redirector belongs to an address. A
 * library may be closed and reopened elsewhere: its functions keep their redirectors and counts.
 */
#ifndef DWELL_RUNTIME_CALLS_BIND_H
#define DWELL_RUNTIME_CALLS_BIND_H

#include <stdint.h>

#define OBJECTS_MAX 8192

/* Where an object is mapped; all 0: it was closed. */
struct bind_range {
	uintptr_t start, bias;
};

/*
 * Returns the object that contains address, and where it is mapped; or RECORD_NO_CALLER. Takes no
 * lock.
 */
uint32_t bind_object_of(uintptr_t address, uintptr_t *start);

/* Returns where the object of that number is. Takes no lock. */
struct bind_range bind_range_of(uint32_t object);

/* Returns the object that defines the function of that number. */
uint32_t bind_provider_of(uint32_t function);

/* Forgets all objects and functions; no redirector is in use any more. */
void bind_reset(void);

#endif
