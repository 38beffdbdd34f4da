/* SPDX-License-Identifier: MIT
 *
 * calls_many.c - see calls_many.h.
 */
#include "calls_many.h"

#define DEFINE(n)                                                                                  \
	int many_##n(int x)                                                                        \
	{                                                                                          \
		return x + 1;                                                                      \
	}
MANY(DEFINE)

/* The last one is followed by padding, too: there is room for a jump. */
__attribute__((used)) static int many_and_one_more(int x)
{
	return x;
}
