/* SPDX-License-Identifier: MIT
 *
 * runtime.h - the interface of the runtime, libdwell-calls.so, to the code that decides which
 * functions are wrapped: the auditor, which is in a namespace of its own and finds these by
 * address, or got.c beside it.
 *
 * The auditor calls them before the dynamic linker has relocated the runtime. So they, and all that
 * they call, use nothing that needs a relocation: no libc, no table of pointers. One at a time: the
 * caller has a lock of its own.
 */
#ifndef DWELL_RUNTIME_CALLS_RUNTIME_H
#define DWELL_RUNTIME_CALLS_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The name of an object, and its address. */
struct runtime_object {
	const char *path;
	const char *soname; /* "": none */
	uintptr_t bias;
	uintptr_t start, end;
};

struct runtime_function {
	void *target;    /* what its redirector jumps to */
	void *entry;     /* the function itself, if that is elsewhere; NULL: it is not */
	uint32_t object; /* its definer */
	uint32_t flags;  /* enum record_function_flags */
	const char *symbol;
	const char *version; /* "": none */
	uint32_t resolver;   /* its number in resolvers.h; 0: it is none */
	bool is_unseen;      /* a resolver that was not chosen: it is not in the recording */
};

/* A function that a resolver has handed out. */
struct runtime_found {
	void *target;
	const char *name;   /* that was asked for */
	uintptr_t resolver; /* an address in the resolver */
	uintptr_t caller;   /* and in its caller */
};

/*
 * Returns the replacement for the function, which may be the function itself. NULL: it was chosen
 * and cannot be wrapped.
 */
typedef void *runtime_wrap(const struct runtime_found *found);

/*
 * Opens the recording; both paths must stay valid. If it does not return 0, nothing will be
 * recorded.
 */
int dwell_calls_attach(const char *data, const char *library);

/*
 * Registers an object, also one that was closed and is opened again. Returns its number, or
 * UINT32_MAX.
 */
uint32_t dwell_calls_object(const struct runtime_object *object);

/* Memory near an object with the copies of its functions' first instructions: see entry/island.h.
 */
struct runtime_island {
	uintptr_t start, end;
	uintptr_t header; /* its .eh_frame_hdr */
	uintptr_t fixed;  /* addresses that are jumped to; 0: none */
	size_t fixed_bytes;
	const struct link_map *map; /* of the object */
};

/* Lets unwinders find an island. False: there are too many. */
bool dwell_calls_island(const struct runtime_island *island);

/* Ends that, before it is unmapped. */
void dwell_calls_no_island(const struct runtime_island *island);

/*
 * Returns a word with the offset of calls_this from the thread pointer, by which a gate counts
 * without the wrapper (arch/entry.h); the word is 0 as long as it must not.
 */
const uintptr_t *dwell_calls_counting(void);

/* Returns whether a SIGBUS that the recording raises is repaired. Any context. */
bool dwell_calls_repairs(void);

/* Counts chosen functions that cannot be counted. */
void dwell_calls_lose(uint32_t functions);

/* Returns the replacement for the function: its redirector, or itself if there is none left. */
void *dwell_calls_bind(const struct runtime_function *function);

/* Sets the function that decides about what resolvers hand out. */
void dwell_calls_resolving(runtime_wrap *wrap);

/* Serves as the auditor's sys_filter: the auditor obeys a sandbox of the program, too. */
bool dwell_calls_refuses(long nr, const long arguments[6], long *result);

/* Notes that the object is about to be unmapped; UINT32_MAX: an object without a number. */
void dwell_calls_forget(uint32_t object);

#endif
