/* SPDX-License-Identifier: MIT
 *
 * runtime.h - what the runtime, libdwell-calls.so, offers to whoever decides which functions are
 * wrapped: the auditor, which lives in a namespace of its own and finds these by address, or got.c
 * beside it.
 *
 * The auditor calls them before the dynamic linker has relocated the runtime. So they, and all that
 * they call, use nothing that needs a relocation: no libc, no table of pointers. One at a time: the
 * caller has a lock of its own.
 */
#ifndef DWELL_RUNTIME_CALLS_RUNTIME_H
#define DWELL_RUNTIME_CALLS_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

/* What an object is called, and where it is. */
struct runtime_object {
	const char *path;
	const char *soname; /* "": none */
	uintptr_t bias;
	uintptr_t start, end;
};

struct runtime_function {
	void *target;
	uint32_t object; /* that defines it */
	uint32_t flags;  /* enum record_function_flags */
	const char *symbol;
	const char *version; /* "": none */
};

/* Opens the recording; both paths must stay. 0, or there will be nothing to do. */
int dwell_calls_attach(const char *data, const char *library);

/* Makes an object known, also one that was closed and is opened again. Its number, or UINT32_MAX.
 */
uint32_t dwell_calls_object(const struct runtime_object *object);

/* What to hand out in place of the function: its redirector, or itself where there is none left. */
void *dwell_calls_bind(const struct runtime_function *function);

/* The auditor's sys_filter: what a sandbox of the program forbids, the auditor does not do either.
 */
bool dwell_calls_refuses(long nr, const long arguments[6], long *answer);

/* The object is about to be unmapped. An object without a number is passed as UINT32_MAX. */
void dwell_calls_forget(uint32_t object);

#endif
