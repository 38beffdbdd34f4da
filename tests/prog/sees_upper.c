/* SPDX-License-Identifier: MIT
 *
 * sees_upper.c - a library that calls another one. Built lazily bound, with BIND_NOW and full
 * RELRO, and with -fno-plt.
 */
#include "sees.h"

sees_function sees_upper_twice = sees_twice;

int sees_sum(int count)
{
	int sum = 0;

	for (int i = 1; i <= count; i++)
		sum = sees_add(sum, i);
	return sum;
}

sees_function sees_upper_code(void)
{
	return sees_twice;
}

sees_function sees_upper_data(void)
{
	return sees_upper_twice;
}
