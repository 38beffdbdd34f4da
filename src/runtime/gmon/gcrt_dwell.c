/* SPDX-License-Identifier: MIT
 *
 * gcrt_dwell.c - gcrt-dwell.o: linked into a program that was built without -pg, it makes the
 * program write gmon.out, with the time spent in each function. Calls are counted as well in code
 * that was built with -pg. It calls libprofil-gmon.so or libprofil.a.
 */
#include <stdint.h>
#include <stdlib.h>

void __monstartup(uintptr_t low, uintptr_t high);
void _mcleanup(void);

__attribute__((constructor)) static void begin(void)
{
	__monstartup(0, UINTPTR_MAX);
	atexit(_mcleanup);
}
