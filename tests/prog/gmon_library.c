/* SPDX-License-Identifier: MIT */
#include "gmon_library.h"

__attribute__((noinline)) static void library_inner(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) long library_outer(long count)
{
	long rest = count > 1 ? library_outer(count - 1) : 0;

	/* So that it does not become a loop. */
	__asm__ volatile("" : "+r"(rest));
	for (int i = 0; i < 3; i++)
		library_inner();
	return rest + 1;
}
