/* SPDX-License-Identifier: MIT
 *
 * record_plugin.c - two libraries are made of this, with the same layout, so that one can be where
 * the other was. Which one it is, is said by the name of its function.
 */
#include "record_load.h"

#define burn_in_plugin WORK /* of the compiler's arguments */
DEFINE_BURNER(burn_in_plugin)

extern void (*const plugin_leaf)(double);
void plugin_work(double seconds);

/* To be called from elsewhere, without a caller in the library. */
void (*const plugin_leaf)(double) = WORK;

/* Behind the other: gprof shows no time of the last function of a file. */
__attribute__((section(".text.last"))) void plugin_work(double seconds)
{
	WORK(seconds);
	__asm__ volatile("");
}
