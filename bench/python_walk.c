/* SPDX-License-Identifier: MIT
 *
 * python_walk.c - the cost of the Python frames of one stack. python_walk.py loads it and calls
 * python_walk_measure() at a known depth: the stack is walked again and again inside one signal
 * handler, natively and then for its Python frames.
 */
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <ucontext.h>

#include "interpreter/interpreters.h"
#include "unwind/unwind.h"

#define ROUNDS 50
#define REPEAT 100

void python_walk_measure(void);

static struct objects objects;
static struct cache cache;
static struct interpreters interpreters;
static struct interpreters_space space;
static uint64_t pcs[UNWIND_DEPTH];
static char names[1 << 20] __attribute__((aligned(64)));

static int add(struct dl_phdr_info *info, size_t size, void *table)
{
	struct object object = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, true, NULL };

	(void)size;
	table_add_object(table, &object);
	interpreters_mapped(&interpreters, &(struct peek){ 0 }, &object, info->dlpi_addr + 1, NULL);
	return 0;
}

static struct stack walk(const struct registers *registers)
{
	struct registers copy = *registers;
	struct unwind unwind = {
		.objects = &objects,
		.cache = &cache,
		.memory = { .read = memory_read_self, .own = true, .probe = memory_probe_self },
		.sps = space.sps,
	};
	int depth = unwind_walk(&unwind, &copy, pcs, UNWIND_DEPTH);

	return (struct stack){ .pcs = pcs, .depth = depth, .certain = unwind.certain };
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Returns the time to find the Python frames of a stack. apart: between two walks, in the clock of
 * the recording; at least 1, since walks trust no page while that clock stands. */
static double find_frames(struct stack *stack, const struct registers *registers, uint64_t apart)
{
	static uint64_t time = 1;
	struct stack native = *stack;
	double start = now_ns();

	for (int i = 0; i < REPEAT; i++) {
		*stack = native;
		time += apart;
		interpreters_merge(&interpreters, &space, stack, time, registers, NULL);
	}
	return (now_ns() - start) / REPEAT;
}

static double least(double one, double other)
{
	return one < other ? one : other;
}

/* Prints the best of several rounds, which other load has disturbed least. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	double native = 1e30, scripts = 1e30, probed = 1e30;
	struct stack stack, merged = { 0 };
	struct registers registers;

	(void)sig;
	(void)info;
	registers_of(&registers, context);
	for (int round = 0; round < ROUNDS; round++) {
		double start = now_ns();

		for (int i = 0; i < REPEAT; i++)
			stack = walk(&registers);
		native = least(native, (now_ns() - start) / REPEAT);
		merged = stack;
		scripts = least(scripts, find_frames(&merged, &registers, 1));
		merged = stack;
		probed = least(probed, find_frames(&merged, &registers, 2 * PEEK_TRUST));
	}
	printf("%d native %.0f ns, %d Python %.0f ns, %.0f ns with probes\n", stack.depth, native,
	       merged.depth - stack.depth, scripts, probed);
	fflush(stdout);
}

void python_walk_measure(void)
{
	static char tables[1 << 20] __attribute__((aligned(64)));
	static char entries[1 << 20] __attribute__((aligned(64)));
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO }, old;

	objects_init(&objects, tables, sizeof(tables));
	cache_init(&cache, entries, sizeof(entries));
	space.scripts.room = (struct room){ names, names, names + sizeof(names), 0, 0, 0, 0, 0, 0 };
	dl_iterate_phdr(add, objects_begin(&objects));
	objects_publish(&objects);
	sigaction(SIGUSR1, &act, &old);
	raise(SIGUSR1);
	sigaction(SIGUSR1, &old, NULL);
}
