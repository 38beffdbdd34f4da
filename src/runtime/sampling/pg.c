/* SPDX-License-Identifier: MIT
 *
 * pg.c - in the place of gprof's runtime, for programs linked with -pg: calls and ticks go to the
 * recording, from beginning to end, and there is no gmon.out.
 */
#include <stdint.h>

#include "base/export.h"

void __monstartup(uintptr_t low, uintptr_t high);
void monstartup(uintptr_t low, uintptr_t high);
void moncontrol(int mode);
void _mcleanup(void);

EXPORT void __monstartup(uintptr_t low, uintptr_t high)
{
	(void)low, (void)high;
}

EXPORT void monstartup(uintptr_t low, uintptr_t high) __attribute__((alias("__monstartup")));

EXPORT void moncontrol(int mode)
{
	(void)mode;
}

EXPORT void _mcleanup(void)
{
}
