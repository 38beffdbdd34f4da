/* SPDX-License-Identifier: MIT
 *
 * gmon_profiled.c - a library whose functions are called 1,000 and 3,000 times, and the program
 * that calls them.
 */
/* Aligned, because glibc takes functions that are a few bytes apart for one. */
__attribute__((aligned(64))) void profiled_inner(void);
__attribute__((aligned(64))) void profiled_outer(void);

#ifdef LIBRARY
void profiled_inner(void)
{
	__asm__ volatile("");
}

/* By the PLT, since a program may have a function that is called the same. */
void profiled_outer(void)
{
	for (int i = 0; i < 3; i++)
		profiled_inner();
}
#else
int main(void)
{
	for (int i = 0; i < 1000; i++)
		profiled_outer();
	return 0;
}
#endif
