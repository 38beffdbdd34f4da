/* SPDX-License-Identifier: MIT
 *
 * awkward.c - a program that is hard to attach to. It has an allocator of its own, prints "ready",
 * and is in an awkward state until it reads a byte from stdin; then it prints "still here", and
 * again for each byte.
 *
 *	awkward malloc		its only thread waits in malloc(), which holds a lock
 *	awkward linker PLUGIN	a thread waits in a constructor, and holds the linker's lock
 *	awkward files		has no descriptor left
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HEAP_BYTES ((size_t)64 << 20)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(16) char heap[HEAP_BYTES];
static size_t used;
static int waits; /* the next malloc() */
static int opened;
void *volatile keep; /* or the compiler would not call malloc() */

static void say(const char *line)
{
	if (write(STDOUT_FILENO, line, strlen(line)) < 0)
		_exit(1);
}

static void read_byte(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		_exit(0);
}

__attribute__((noinline)) static void wait_in_malloc(void)
{
	waits = 0;
	say("ready\n");
	read_byte();
}

__attribute__((noinline)) void *malloc(size_t size)
{
	size_t *block;

	pthread_mutex_lock(&lock);
	if (waits)
		wait_in_malloc();
	block = (size_t *)(heap + used);
	used += (size + 31) & ~(size_t)15;
	pthread_mutex_unlock(&lock);
	if (used > HEAP_BYTES)
		abort();
	block[0] = size;
	return block + 2;
}

void *calloc(size_t count, size_t size)
{
	return malloc(count * size); /* the heap is zero, and nothing is used again */
}

void *realloc(void *old, size_t size)
{
	void *block = malloc(size);
	size_t had = old ? ((size_t *)old)[-2] : 0;

	if (old)
		memcpy(block, old, had < size ? had : size);
	return block;
}

void free(void *block)
{
	(void)block;
}

static void *open_plugin(void *path)
{
	if (!dlopen(path, RTLD_NOW))
		_exit(3);
	__atomic_store_n(&opened, 1, __ATOMIC_RELEASE);
	return NULL;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (strcmp(mode, "files") == 0)
		while (open("/dev/null", O_RDONLY) >= 0)
			;
	if (strcmp(mode, "malloc") == 0) {
		waits = 1;
		keep = malloc(1);
	} else if (strcmp(mode, "linker") == 0 && argc > 2) {
		if (pthread_create(&thread, NULL, open_plugin, argv[2]))
			return 1;
		while (!__atomic_load_n(&opened, __ATOMIC_ACQUIRE))
			usleep(20000);
	} else {
		say("ready\n");
		read_byte();
	}
	for (;;) {
		say("still here\n");
		read_byte();
	}
}
