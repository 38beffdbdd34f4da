/* SPDX-License-Identifier: MIT
 *
 * sees_guarded.c - calls functions of a library by pointers, where the CPU checks the target of
 * each such call.
 */
#include "sees_guarded.h"

#include "sees.h"

#define TIMES 500

static guarded_function *volatile leaf = guarded_leaf;
static int (*volatile calls)(int, guarded_function *) = guarded_calls;

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < TIMES; i++)
		sum += (unsigned)leaf(i) + (unsigned)calls(i, leaf);
	printf("sum %u\n", sum);
	expect("guarded_leaf", "libsees_guarded_library.so", 3 * TIMES);
	expect("guarded_calls", "libsees_guarded_library.so", TIMES);
	return 0;
}
