/* SPDX-License-Identifier: MIT
 *
 * gmon_host.c - is not built with -pg, and uses a library that is.
 */
#include <stdio.h>

#include "gmon_library.h"

int main(void)
{
	printf("calls library_outer %ld\n", library_outer(500));
	return 0;
}
