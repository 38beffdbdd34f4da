/* SPDX-License-Identifier: MIT
 *
 * record_plugins.c HOW LEFT RIGHT - code that comes and goes.
 *
 * loop: opens one library after the other, works in each and closes it; prints whether they were in
 * the same place. fork: a child works in a library that its parent has closed meanwhile. jit: runs
 * code that it writes itself, and lists in /tmp/perf-PID.map. through: works in a function that
 * such code calls. vdso: asks for the time.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "made_code.h"
#include "record_load.h"

DEFINE_BURNER(parent_work)

#define ROUNDS 20

typedef void work(double);

/* Opens a library and works in it. Returns its handle. */
static void *use(const char *path, double seconds, void **place)
{
	void *library = dlopen(path, RTLD_NOW);
	work *run = library ? (work *)dlsym(library, "plugin_work") : NULL;

	if (!run) {
		puts(dlerror());
		exit(1);
	}
	if (seconds > 0)
		run(seconds);
	*place = (void *)run;
	return library;
}

/* The right one works for three times as long. */
static void loop(char **paths)
{
	int same = 0;
	void *places[2];

	for (int i = 0; i < ROUNDS; i++) {
		dlclose(use(paths[0], 0.005, &places[0]));
		dlclose(use(paths[1], 0.015, &places[1]));
		same += places[0] == places[1];
	}
	printf("same place %d of %d\n", same, ROUNDS);
}

/*
 * No other one was closed before, and all callers are known code that its frame pointer leads to:
 * there is no other reason to look what is new than that this is.
 */
static void once(char **paths)
{
	void *library = dlopen(paths[0], RTLD_NOW);
	work *const *leaf = library ? dlsym(library, "plugin_leaf") : NULL;

	if (!leaf)
		exit(1);
	(*leaf)(0.15);
	dlclose(library);
	parent_work(0.1);
}

static void across_fork(char **paths)
{
	int ends[2];
	void *place, *library = use(paths[0], 0.05, &place);
	char byte;

	if (pipe(ends))
		exit(1);
	if (fork() == 0) {
		if (read(ends[0], &byte, 1) != 1)
			_exit(1);
		((work *)place)(0.15);
		_exit(0);
	}
	dlclose(library);
	parent_work(0.1); /* with ticks that notice */
	if (write(ends[1], "", 1) != 1)
		exit(1);
	wait(NULL);
}

static void jit(void)
{
	char path[64];
	uint8_t *memory =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	FILE *map;

	made_code_write(memory);
	made_code_write(memory + 256);
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(path, "w");
	fprintf(map, "%lx %zx jit_first\n%lx %zx jit_second\n", (unsigned long)memory,
		sizeof(made_code), (unsigned long)memory + 256, sizeof(made_code));
	fclose(map);
	while (process_cpu() < 0.2) {
		((void (*)(int))memory)(100000);
		((void (*)(int))(memory + 256))(300000);
	}
	puts(path);
}

static void work_a_while(void)
{
	parent_work(0.15);
}

/* Calls a function of the program by code that is mapped meanwhile, while nothing else is sampled
 * there. */
static void through(void)
{
	uint8_t *memory =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	made_call_write(memory);
	mprotect(memory, 4096, PROT_READ | PROT_EXEC);
	((void (*)(void (*)(void)))memory)(work_a_while);
}

static void vdso(void)
{
	double end = process_cpu() + 0.15;

	while (process_cpu() < end)
		for (int i = 0; i < 1000; i++)
			seconds_on(CLOCK_MONOTONIC);
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	if (strcmp(argv[1], "loop") == 0)
		loop(argv + 2);
	else if (strcmp(argv[1], "once") == 0)
		once(argv + 2);
	else if (strcmp(argv[1], "fork") == 0)
		across_fork(argv + 2);
	else if (strcmp(argv[1], "jit") == 0)
		jit();
	else if (strcmp(argv[1], "through") == 0)
		through();
	else if (strcmp(argv[1], "vdso") == 0)
		vdso();
	fflush(stdout);
	say_cpu();
	return 0;
}
