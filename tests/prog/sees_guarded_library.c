/* SPDX-License-Identifier: MIT
 *
 * sees_guarded_library.c - functions of a library that the CPU lets an indirect call enter only at
 * a landing pad: `bti c`, or the instruction that signs the return address.
 */
#include "sees_guarded.h"

/* No code of its own but this: longer than a jump that may be copied. */
int guarded_leaf(int number)
{
	for (int i = 0; i < 3; i++)
		number = number * 3 + (number >> 2) + i;
	return number;
}

int guarded_calls(int number, guarded_function *back)
{
	return guarded_leaf(number) + back(number + 1) + 1;
}
