/* SPDX-License-Identifier: MIT
 *
 * injected.h - this library in a process that it was loaded into while that ran: see
 * base/injected.h.
 */
#ifndef DWELL_RUNTIME_CALLS_INJECTED_H
#define DWELL_RUNTIME_CALLS_INJECTED_H

#include <stdbool.h>

/* Prepares the block for orders, at load time. Returns whether the process ran already: if not, the
 * library was preloaded, and orders are refused. */
bool injected_load(void);

#endif
