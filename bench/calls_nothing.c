/* SPDX-License-Identifier: MIT */
#include "calls_nothing.h"

/* Is long enough for the jumps of all tools that patch entries. */
void calls_nothing(void)
{
	__asm__ volatile("nop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop\n\tnop");
}

/* Has a call of its own, since LD_PROFILE sees no library that has no PLT. */
void calls_not_made(void)
{
	calls_nothing();
	calls_nothing();
}
