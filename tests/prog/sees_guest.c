/* SPDX-License-Identifier: MIT
 *
 * sees_guest.c - a program to be run with sees_preload.c in front of it.
 */
#include <unistd.h>

#include "sees.h"

int main(void)
{
	int result = 0;

	for (int i = 0; i < 4; i++)
		result += sees_twice(i);
	for (int i = 0; i < 6; i++)
		result += sees_thrice(i);
	printf("result %d\n", result);
	printf("host %ld\n", gethostid());
	expect("sees_thrice", "libsees_basic.so", 6);
	return 0;
}
