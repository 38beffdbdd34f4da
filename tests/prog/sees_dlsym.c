/* SPDX-License-Identifier: MIT
 *
 * sees_dlsym.c - functions that the program asks the dynamic linker for, in each way there is. Each
 * way has a function of its own, so that it shows which one was not seen.
 */
#include <dlfcn.h>

#include "sees.h"

int main(void)
{
	void *library = dlopen("libsees_basic.so", RTLD_NOW | RTLD_NOLOAD);
	int (*add)(int, int) = (int (*)(int, int))dlsym(library, "sees_add");
	sees_function twice = (sees_function)dlsym(RTLD_DEFAULT, "sees_twice");
	sees_function thrice = (sees_function)dlsym(RTLD_NEXT, "sees_thrice");
	int result = 0;

	for (int i = 0; i < 3; i++)
		result = add(result, i);
	for (int i = 0; i < 4; i++)
		result += twice(i);
	for (int i = 0; i < 5; i++)
		result += thrice(i);
	printf("result %d\n", result);
	printf("one without a definition: %s\n",
	       dlsym(RTLD_DEFAULT, "sees_absent") ? "there" : "absent");
	printf("and in words: %s\n", dlerror() ? "yes" : "no");
	expect("sees_add", "libsees_basic.so", 3);
	expect("sees_twice", "libsees_basic.so", 4);
	expect("sees_thrice", "libsees_basic.so", 5);
	return sees_compared() ? 1 : 0; /* so that the library is linked */
}
