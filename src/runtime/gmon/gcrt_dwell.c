/* SPDX-License-Identifier: MIT
 *
 * gcrt_dwell.c - gcrt-dwell.o: linked into a program that was built without -pg, it has the program
 * write gmon.out, with where it spent its time. What is in it that was built with -pg has its calls
 * counted as well. It calls libprofil-gmon.so or libprofil.a.
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
