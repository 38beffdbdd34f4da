/* SPDX-License-Identifier: MIT
 *
 * sees_plugin.c - a library to be opened at run time; sees_opens.c says how. It calls the library
 * it needs, itself as others may, from its constructor and destructor, and by a pointer in its
 * data.
 */
#include "sees.h"

int sees_plugin_step(int a);
int sees_plugin_run(int count);

static volatile sees_function in_data = sees_plugin_step;

int sees_plugin_step(int a)
{
	return a + 1;
}

int sees_plugin_run(int count)
{
	int result = 0;

	for (int i = 0; i < count; i++) {
		result = sees_add(result, i);
		result = sees_plugin_step(result);
		result = in_data(result);
	}
	return result;
}

static __attribute__((constructor)) void open_plugin(void)
{
	printf("plugin opens: %d\n", sees_twice(3));
}

static __attribute__((destructor)) void close_plugin(void)
{
	printf("plugin closes: %d\n", sees_thrice(3));
}
