/* SPDX-License-Identifier: MIT
 *
 * grow.c - a program with as many threads or libraries as it is told.
 *
 *	grow threads COUNT           threads that are there at once, do a bit of work each, and end
 *	grow objects COUNT FOLDER    loads FOLDER/0.so and so on, and calls nothing of them
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_THREADS 4096
#define STEPS        100000 /* of a thread: some tenths of a millisecond */
#define STACK_BYTES  65536

static pthread_t threads[MOST_THREADS];
static volatile uint64_t sink;

/* With a call of a library, since some tools take no notice of a thread before that. */
static void *work(void *unused)
{
	uint64_t state = strtoul("1", NULL, 10);

	for (int i = 0; i < STEPS; i++)
		state = state * UINT64_C(6364136223846793005) + 1;
	sink = state;
	return unused;
}

static int grow_threads(unsigned long count)
{
	pthread_attr_t attributes;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned long i = 0; i < count; i++)
		if (pthread_create(&threads[i], &attributes, work, NULL)) {
			fputs("grow: no more threads\n", stderr);
			return 1;
		}
	for (unsigned long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static int grow_objects(unsigned long count, const char *folder)
{
	for (unsigned long i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%lu.so", folder, i);
		if (!dlopen(path, RTLD_NOW)) {
			fprintf(stderr, "grow: %s\n", dlerror());
			return 1;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	if (argc == 3 && strcmp(argv[1], "threads") == 0 && count <= MOST_THREADS)
		return grow_threads(count);
	if (argc == 4 && strcmp(argv[1], "objects") == 0)
		return grow_objects(count, argv[3]);
	fprintf(stderr, "usage: grow threads COUNT (up to %d)\n       grow objects COUNT FOLDER\n",
		MOST_THREADS);
	return 2;
}
