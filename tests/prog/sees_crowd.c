/* SPDX-License-Identifier: MIT
 *
 * sees_crowd.c FOLDER COUNT - opens FOLDER/libcrowd_0.so and so on, copies of
 * libsees_crowd_library.so, and has each call all of its functions. Prints the number of calls.
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "sees.h"

int main(int argc, char **argv)
{
	int count = argc > 2 ? atoi(argv[2]) : 0, result = 0;

	for (int i = 0; i < count; i++) {
		char path[4096];
		void *library;
		sees_function all;

		snprintf(path, sizeof(path), "%s/libcrowd_%d.so", argv[1], i);
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		all = library ? (sees_function)dlsym(library, "crowd_all") : NULL;
		if (!all)
			return 1;
		result = all(result);
	}
	printf("%d\n", result);
	return 0;
}
