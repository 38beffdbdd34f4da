/* SPDX-License-Identifier: MIT
 *
 * call_site.h - where in its file a return address is. Any context; needs no relocation.
 */
#ifndef DWELL_RUNTIME_CALLS_CALL_SITE_H
#define DWELL_RUNTIME_CALLS_CALL_SITE_H

#include "calls.h"

/*
 * Sets the caller's address to that offset, and its build-id. start: where the object is mapped.
 * False: the object has no ELF header there, or maps no file at the address.
 */
bool call_site_find(struct record_caller *caller, uintptr_t start, uintptr_t return_address);

#endif
