/* SPDX-License-Identifier: MIT
 *
 * specific.h - values of a thread under keys of pthread_key_create(). Calls nothing of libc: a walk
 * may be a part of a call of pthread_getspecific() that is being counted.
 */
#ifndef DWELL_INTERPRETER_SPECIFIC_H
#define DWELL_INTERPRETER_SPECIFIC_H

#include "dynsym.h"

/* Where libc has these values, as glibc describes it for debuggers. All zeroes: not known. */
struct specific {
	uintptr_t blocks;    /* of a thread: where its pointers are, from the thread pointer */
	uint32_t count;      /* of blocks */
	uint32_t block_keys; /* keys in each */
	uint32_t key_bytes, value;
	uint32_t below; /* from the thread pointer down to pthread_self() */
};

/* Reads the description, if the object is the libc. Any context. */
void specific_read(struct specific *specific, const struct dynsym *symbols);

/* Returns pthread_self(); 0: not known. Any context. */
uintptr_t specific_self(const struct specific *specific);

/* Returns the value of the calling thread; 0: none. Any context. */
uintptr_t specific_value(const struct specific *specific, uint32_t key);

#endif
