/* SPDX-License-Identifier: MIT
 *
 * sees_hole_library.c - one of the functions that it calls is nowhere.
 */
#include "sees.h"

int sees_nowhere(int a);

int sees_hole(int a)
{
	return a > 0 ? sees_twice(a) : sees_nowhere(a);
}
