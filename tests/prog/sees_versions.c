/* SPDX-License-Identifier: MIT
 *
 * sees_versions.c - both versions of a function of liblist_versions.so, called directly and by
 * dlvsym().
 */
#include <dlfcn.h>

#include "sees.h"

int old_area(int width, int height);
int list_area(int width, int height);

__asm__(".symver old_area, list_area@LIST_1");

int main(void)
{
	int (*first)(int, int) = (int (*)(int, int))dlvsym(RTLD_DEFAULT, "list_area", "LIST_1");
	int (*second)(int, int) = (int (*)(int, int))dlvsym(RTLD_DEFAULT, "list_area", "LIST_2");
	int (*any)(int, int) = (int (*)(int, int))dlsym(RTLD_DEFAULT, "list_area");

	for (int i = 0; i < 3; i++)
		printf("old %d\n", old_area(i, 5));
	for (int i = 0; i < 4; i++)
		printf("new %d\n", list_area(i, 5));
	for (int i = 0; i < 5; i++)
		printf("old %d\n", first(i, 7));
	for (int i = 0; i < 6; i++)
		printf("new %d\n", second(i, 7));
	printf("any %d\n", any(3, 7));
	printf("one without a definition: %s\n",
	       dlvsym(RTLD_DEFAULT, "list_area", "LIST_3") ? "there" : "absent");
	expect("list_area@LIST_1", "liblist_versions.so", 3 + 5);
	expect("list_area@LIST_2", "liblist_versions.so", 4 + 6 + 1);
	return 0;
}
