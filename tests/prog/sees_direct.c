/* SPDX-License-Identifier: MIT
 *
 * sees_direct.c - plain calls of a library, and of one that calls another one. Built lazily bound,
 * with BIND_NOW and full RELRO, with -fno-plt, and not position independent; UPPER is the library
 * built in the same way.
 */
#include "sees.h"

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum = sees_add(sum, i);
	sum += sees_sum(5);
	sum += sees_sum(7);
	printf("sum %d\n", sum);
	expect("sees_add", "libsees_basic.so", 10 + 5 + 7);
	expect("sees_sum", UPPER, 2);
	return sum % 100;
}
