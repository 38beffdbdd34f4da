/* SPDX-License-Identifier: MIT
 *
 * flip_library.c - a library with pointers to functions, for test_flip.c. It is linked in the old
 * layout, with its tables in the same page as its code.
 */
#include <stdlib.h>

int flip_library(int n);

static void *(*const makers[])(size_t) = { malloc };

__attribute__((visibility("default"))) int flip_library(int n)
{
	free(makers[0](1));
	return n + 1;
}
