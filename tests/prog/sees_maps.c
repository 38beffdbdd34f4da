/* SPDX-License-Identifier: MIT
 *
 * sees_maps.c - prints which of its pages are writable and executable at once, while it has a
 * thread, a plugin, and has made calls of every kind: there must be none.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "sees.h"

static void *work(void *unused)
{
	printf("thread: %d\n", sees_sum(10));
	return unused;
}

static void print_maps(void)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps)) {
		char rights[5];

		if (sscanf(line, "%*s %4s", rights) == 1 && strchr(rights, 'w') &&
		    strchr(rights, 'x')) {
			printf("%s", line);
			count++;
		}
	}
	printf("writable and executable: %d\n", count);
	if (maps)
		fclose(maps);
}

int main(void)
{
	void *plugin = dlopen("libsees_plugin.so", RTLD_NOW);
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	print_maps();
	if (plugin)
		dlclose(plugin);
	return 0;
}
