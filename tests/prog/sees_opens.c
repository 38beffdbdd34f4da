/* SPDX-License-Identifier: MIT
 *
 * sees_opens.c now|lazy|global|deepbind|base|namespace - opens libsees_plugin.so in that way, calls
 * it, and closes it. In a namespace of its own it is out of a profiler's reach, and must just work.
 */
#include <dlfcn.h>
#include <string.h>

#include "sees.h"

static void *open_as(const char *way)
{
	const char *path = "libsees_plugin.so";

	if (strcmp(way, "now") == 0)
		return dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (strcmp(way, "lazy") == 0)
		return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (strcmp(way, "global") == 0)
		return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
#ifdef RTLD_DEEPBIND
	if (strcmp(way, "deepbind") == 0)
		return dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
#endif
#ifdef LM_ID_BASE
	if (strcmp(way, "base") == 0)
		return dlmopen(LM_ID_BASE, path, RTLD_NOW);
	if (strcmp(way, "namespace") == 0)
		return dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "";
	void *plugin = open_as(way);
	int (*run)(int) = plugin ? (int (*)(int))dlsym(plugin, "sees_plugin_run") : NULL;

	if (!run) {
		printf("cannot open: %s\n", plugin ? "no function" : dlerror());
		return 1;
	}
	printf("run: %d\n", run(5));
	printf("run: %d\n", run(6));
	printf("close: %d\n", dlclose(plugin));
	if (strcmp(way, "namespace") == 0)
		return 0;
	expect("sees_plugin_run", "libsees_plugin.so", 2);
	expect("sees_plugin_step", "libsees_plugin.so", 2 * (5 + 6));
	expect("sees_add", "libsees_basic.so", 5 + 6);
	expect("sees_twice", "libsees_basic.so", 1);
	expect("sees_thrice", "libsees_basic.so", 1);
	return 0;
}
