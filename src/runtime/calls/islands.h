/* SPDX-License-Identifier: MIT
 *
 * islands.h - the islands of this process, for unwinders: see entry/island.h.
 */
#ifndef DWELL_RUNTIME_CALLS_ISLANDS_H
#define DWELL_RUNTIME_CALLS_ISLANDS_H

#include "runtime.h"
#include "runtime/guard/phdr_guard.h"

/* Finds the island that contains an address. Returns false if there is none. Async-signal-safe. */
bool islands_find(uintptr_t address, struct runtime_island *island);

/* Reports the islands as dl_iterate_phdr() reports objects. Async-signal-safe. */
phdr_more islands_report;

#endif
