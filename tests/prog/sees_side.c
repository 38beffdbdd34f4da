/* SPDX-License-Identifier: MIT
 *
 * sees_side.c - three libraries made of one source, so that all have functions of the same names:
 * SIDE tells which one was really called.
 */
#include "sees_side.h"

const char *sees_side(void)
{
	return SIDE;
}

/* By name, as another library would. */
const char *sees_call_side(void)
{
	return sees_side();
}
