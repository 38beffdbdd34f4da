/* SPDX-License-Identifier: MIT
 *
 * inlined_other.c - the other unit of the library of inlined.c.
 */
#include "inlined.h"

unsigned (*volatile inlined_other_pointers[2])(unsigned);

unsigned other(unsigned x);

ALWAYS unsigned helper(unsigned x)
{
	SPOT("other_helper"); /* at: other_helper */
	return x + 2;
}

__attribute__((noinline)) unsigned other(unsigned x)
{
	inlined_other_pointers[0] = shared;
	inlined_other_pointers[1] = helper;
	return shared(x) ^ helper(x); /* at: other */
}
