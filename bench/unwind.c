/* SPDX-License-Identifier: MIT
 *
 * unwind.c - the cost of a frame: src/unwind with and without its rules known, libgcc, and
 * libunwind where it is installed. One stack, walked again and again inside one signal handler.
 */
#include <inttypes.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unwind.h>

#ifdef HAVE_LIBUNWIND
#define UNW_LOCAL_ONLY
#include <libunwind.h>
#endif

#include "unwind/unwind.h"

#define DEPTH 60

static struct objects objects;
static struct cache cache;
static uint64_t pcs[UNWIND_DEPTH];
static const ucontext_t *interrupted;
static struct window whole; /* the stack, from here up */

static int add(struct dl_phdr_info *info, size_t size, void *table)
{
	struct object object = { info->dlpi_addr, info->dlpi_phdr, info->dlpi_phnum, true, NULL };

	(void)size;
	table_add_object(table, &object);
	return 0;
}

static void refresh(void)
{
	dl_iterate_phdr(add, objects_begin(&objects));
	objects_publish(&objects);
}

static int ours(struct window stack, struct cache *rules)
{
	struct unwind unwind = {
		.objects = &objects,
		.cache = rules,
		.memory = { .read = memory_read_self,
			    .own = true,
			    .probe = memory_probe_self,
			    .stack = stack },
	};
	struct registers registers;

	registers_of(&registers, interrupted);
	return unwind_walk(&unwind, &registers, pcs, UNWIND_DEPTH);
}

static int by_rules(void)
{
	return ours(whole, &cache);
}

static int by_unknown_stack(void)
{
	return ours((struct window){ 0 }, &cache);
}

/* Every rule is looked for. */
static int without_rules(void)
{
	return ours(whole, NULL);
}

static _Unwind_Reason_Code count(struct _Unwind_Context *context, void *counter)
{
	pcs[(*(int *)counter)++ % UNWIND_DEPTH] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static int by_libgcc(void)
{
	int frames = 0;

	_Unwind_Backtrace(count, &frames);
	return frames;
}

#ifdef HAVE_LIBUNWIND
static int by_libunwind(void)
{
	unw_cursor_t cursor;
	int frames = 0;

	unw_init_local2(&cursor, (unw_context_t *)interrupted, UNW_INIT_SIGNAL_FRAME);
	do {
		unw_word_t pc;

		unw_get_reg(&cursor, UNW_REG_IP, &pc);
		pcs[frames++ % UNWIND_DEPTH] = pc;
	} while (unw_step(&cursor) > 0);
	return frames;
}

static int by_libunwind_backtrace(void)
{
	return unw_backtrace((void **)pcs, UNWIND_DEPTH);
}
#endif

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* The best of several rounds, in nanoseconds a frame. */
static double measure(const char *what, int (*walk)(void), int repeat, double unit)
{
	double best = 1e30;
	int frames = walk();

	for (int round = 0; round < 15; round++) {
		double start = now_ns(), each;

		for (int i = 0; i < repeat; i++)
			frames = walk();
		each = (now_ns() - start) / repeat / frames;
		best = each < best ? each : best;
	}
	printf("%-36s %4d frames  %8.1f ns a frame", what, frames, best);
	if (unit > 0)
		printf("  %6.1f times", best / unit);
	putchar('\n');
	return best;
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	double unit;

	(void)sig;
	(void)info;
	interrupted = context;
	whole.start = (uintptr_t)interrupted->uc_mcontext.gregs[REG_RSP] - 128;
	unit = measure("this walk, warm", by_rules, 2000, 0);
	measure("this walk, warm, stack not known", by_unknown_stack, 500, unit);
	measure("this walk, every frame cold", without_rules, 200, unit);
	measure("libgcc, _Unwind_Backtrace", by_libgcc, 100, unit);
#ifdef HAVE_LIBUNWIND
	measure("libunwind, unw_step", by_libunwind, 100, unit);
	measure("libunwind, unw_backtrace", by_libunwind_backtrace, 100, unit);
#endif
}

static volatile int sunk;

__attribute__((noinline)) static int dive(int depth, int extra)
{
	volatile char room[64];

	room[depth % 64] = (char)extra;
	if (!depth)
		raise(SIGUSR1);
	else if (depth % 3)
		sunk += dive(depth - 1, extra + 1);
	else
		sunk -= dive(depth - 1, extra * 3);
	return room[depth % 64];
}

static int compare(const void *a, const void *b)
{
	if (!sunk++)
		dive(DEPTH, 1);
	return *(const int *)a - *(const int *)b;
}

int main(void)
{
	static char tables[256 * 1024] __attribute__((aligned(64)));
	static char entries[128 * 1024] __attribute__((aligned(64)));
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int numbers[] = { 3, 1, 2 };

	objects_init(&objects, tables, sizeof(tables));
	cache_init(&cache, entries, sizeof(entries));
	refresh();
	whole.end = (uintptr_t)__builtin_frame_address(0) + 512;
	sigaction(SIGUSR1, &act, NULL);
	qsort(numbers, 3, sizeof(*numbers), compare);
	return 0;
}
