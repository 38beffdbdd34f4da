/* SPDX-License-Identifier: MIT */
#include "calls_nothing.h"

void calls_nothing(void)
{
}

/* Has a call of its own, since LD_PROFILE sees no library that has no PLT. */
void calls_not_made(void)
{
	calls_nothing();
	calls_nothing();
}
