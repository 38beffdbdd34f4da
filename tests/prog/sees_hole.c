/* SPDX-License-Identifier: MIT
 *
 * sees_hole.c - a program of which one function is nowhere. That shows only when it is called or
 * when everything is bound at the start: so it must be bound as late as the program wants.
 */
#include "sees.h"

int main(void)
{
	printf("result %d\n", sees_hole(21));
	expect("sees_hole", "libsees_hole_library.so", 1);
	expect("sees_twice", "libsees_basic.so", 1);
	return 0;
}
