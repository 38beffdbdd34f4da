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
