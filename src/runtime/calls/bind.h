/* SPDX-License-Identifier: MIT
 *
 * bind.h - the registry of functions and objects behind runtime.h.
 *
 * A function is what its object, symbol and version say; a redirector is for an address. So that a
 * library can come and go, and come back elsewhere, a function keeps its redirector and its counts.
 */
#ifndef DWELL_RUNTIME_CALLS_BIND_H
#define DWELL_RUNTIME_CALLS_BIND_H

#include <stdint.h>

/* The object that address is in, or RECORD_NO_CALLER. Takes no lock. */
uint32_t bind_object_of(uintptr_t address);

/* The object that defines the function of that number. */
uint32_t bind_provider_of(uint32_t function);

#endif
