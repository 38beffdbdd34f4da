/* SPDX-License-Identifier: MIT
 *
 * inlined.c - functions with others inlined in them; see inlined.h. With inlined_other.c, it is a
 * library.
 */
#include "inlined.h"

unsigned (*volatile inlined_pointers[2])(unsigned);

unsigned outer(unsigned x);
unsigned twice(unsigned x);

/* One of that name is in the other unit as well, and is another one. */
ALWAYS unsigned helper(unsigned x)
{
	SPOT("helper"); /* at: helper */
	return x + 1;
}

__attribute__((noinline)) unsigned outer(unsigned x)
{
	SPOT("outer");        /* at: outer, itself */
	return middle(x) + 1; /* at: outer */
}

__attribute__((noinline)) unsigned twice(unsigned x)
{
	inlined_pointers[0] = shared;
	inlined_pointers[1] = helper;
	return shared(x) ^ helper(x); /* at: twice */
}
