/* SPDX-License-Identifier: MIT
 *
 * resolvers.h - functions that hand out functions by name, as dlsym() does. The linker does not
 * know of them, so a call of one is intercepted even if it was not chosen, and the function that it
 * hands out is replaced by its redirector: see resolve.c. The table is in resolvers.c; a line there
 * is all that another one needs.
 *
 * A function that is handed out is chosen by the name that was asked for and by the object that
 * contains it. None of these functions depends on the address of its caller.
 *
 * Part of both libraries; needs no relocation.
 */
#ifndef DWELL_RUNTIME_CALLS_RESOLVERS_H
#define DWELL_RUNTIME_CALLS_RESOLVERS_H

#include <stdint.h>

/* In resolver.result: the function is the returned value. */
#define RESOLVER_RETURNS -1

#define RESOLVER_ARGUMENTS 6 /* words, at most */

struct resolver {
	char name[40];
	int8_t asked;  /* argument: the name asked for */
	int8_t result; /* argument: points to the function, if 0 is returned; or RESOLVER_RETURNS */
};

/* Returns the number of the resolver of that name; 0: there is none. */
uint32_t resolvers_find(const char *name);

/* Returns the resolver of that number. */
const struct resolver *resolvers_get(uint32_t number);

#endif
