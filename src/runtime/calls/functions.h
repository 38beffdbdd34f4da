/* SPDX-License-Identifier: MIT
 *
 * functions.h - functions and redirectors of the process: see arch/calls_layout.h. Like runtime.h,
 * it needs no relocation; one call at a time.
 */
#ifndef DWELL_RUNTIME_CALLS_FUNCTIONS_H
#define DWELL_RUNTIME_CALLS_FUNCTIONS_H

#include "calls.h"

/*
 * Makes the function of that number and its redirector usable. False: there is no memory for it, or
 * there are FUNCTIONS_MAX already.
 */
bool functions_reserve(uint32_t id);

#endif
