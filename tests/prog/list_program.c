/* SPDX-License-Identifier: MIT
 *
 * list_program.c - imports both versions of a function, functions with mangled names, functions and
 * data of libc, and a function that no library defines.
 */
#include <stdio.h>
#include <string.h>

int old_area(int width, int height);
int list_area(int width, int height);
int shapes_sum(int a, int b) __asm__("_ZN6shapes3sumEii");
long shapes_largest(long a, long b) __asm__("_ZN6shapes7largestIlEET_S1_S1_");
int list_absent(void) __attribute__((weak));
extern int list_data;

__asm__(".symver old_area, list_area@LIST_1");

int main(int argc, char **argv)
{
	size_t length = strlen(argv[argc - 1]);

	if (list_absent)
		return list_absent();
	fprintf(stdout, "%d %d %d %ld %zu %d\n", old_area(2, 3), list_area(2, 3), shapes_sum(2, 3),
		shapes_largest(2, 3), length, list_data);
	return 0;
}
