/* SPDX-License-Identifier: MIT
 *
 * test_truth.c - a program that keeps a list of its own frames, and is interrupted again and again
 * to compare the walk with it. It is built several times, with other compilers and options.
 *
 * The compiler keeps the list (-finstrument-functions): for each function entered, its return
 * address. The innermost functions may be in the middle of being entered or left, so that they are
 * not on the list yet, or no longer; everything on the list must be in the walk, to the last
 * address.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "emulated.h"
#include "oddities.h"
#include "sanitized.h"
#include "self.h"

#define SKIP __attribute__((no_instrument_function))
#ifdef __clang__
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE __attribute__((noipa)) /* nor cloned for some of its callers */
#endif
#define FRAMES_MAX 256

/*
 * An instruction that takes 1/6500 of the time is interrupted in 99 of 100 runs. test_steps.c
 * interrupts programs at each instruction.
 */
#if IS_SANITIZED
#define INTERRUPTIONS 5000
#else
#define INTERRUPTIONS 30000
#endif

/* An emulator takes longer for a signal than for the code between two of them. */
#define EMULATED_INTERRUPTIONS 5000
#define EMULATED_NS            900001

/* ---- the list ---- */

struct listed {
	uintptr_t function, back;
};

static struct listed list[FRAMES_MAX];
static volatile int listed;
static volatile bool in_handler; /* whose own functions are not listed */

void __cyg_profile_func_enter(void *function, void *back);
void __cyg_profile_func_exit(void *function, void *back);

SKIP void __cyg_profile_func_enter(void *function, void *back)
{
	if (in_handler)
		return;
	list[listed % FRAMES_MAX] = (struct listed){ (uintptr_t)function, (uintptr_t)back };
	__asm__ volatile("" ::: "memory");
	listed++;
}

SKIP void __cyg_profile_func_exit(void *function, void *back)
{
	(void)function;
	(void)back;
	if (!in_handler)
		listed--;
}

/* ---- the comparison, in the handler ---- */

/* The starts of functions, sorted, to find the one that an address is in. */
static uintptr_t starts[64];
static int start_count;
static uintptr_t text_start, text_end;

extern char __executable_start, etext;

SKIP static uintptr_t function_of(uintptr_t pc)
{
	uintptr_t best = 0;

	for (int i = 0; i < start_count; i++)
		if (starts[i] <= pc && starts[i] > best)
			best = starts[i];
	return best;
}

SKIP static bool ours(uintptr_t pc)
{
	return pc >= text_start && pc < text_end;
}

static long interruptions = INTERRUPTIONS;

static struct {
	long taken, right, doubtful, wrong;
	long depths;
	bool stop;
	uint64_t pcs[UNWIND_DEPTH];
	int count;
	uint64_t base[8]; /* main's return address, and its caller's callers */
	int base_count;
	struct unwind known, unknown;
} t;

/* pcs[*at] is a return into the function of list entry i, or into a library that it called;
 * advances to the place of the entry's own return address. */
SKIP static bool match_function(int *at, int i)
{
	while (*at < t.count && !ours(t.pcs[*at]))
		++*at;
	if (*at == t.count || function_of(t.pcs[*at] - (*at > 0)) != list[i].function)
		return false;
	++*at;
	return true;
}

SKIP static bool match_list(int at, int depth)
{
	for (int i = depth - 1; i >= 0; i--) {
		if (at >= t.count || t.pcs[at] != list[i].back)
			return false;
		/* main() is called by libc, which is not on the list. */
		if (i > 0 && !match_function(&at, i - 1))
			return false;
	}
	return t.count - at == t.base_count &&
	       memcmp(t.pcs + at, t.base, (size_t)t.base_count * sizeof(*t.base)) == 0;
}

/* Matches the list. Unlisted frames come first: at most the hook, and the function that called it;
 * and before them a function that the compiler has added, which calls no hooks. */
SKIP static bool match(int depth)
{
	const int first = is_thunk(t.pcs[0]);

	for (int extra = 0; extra <= 2; extra++) {
		int at = first, skipped = 0;
		bool fits;

		while (skipped < extra && at < t.count)
			if (ours(t.pcs[at++]))
				skipped++;
		fits = match_function(&at, depth - 1) && match_list(at, depth);
		if (fits)
			return true;
	}
	return false;
}

SKIP static void take(const ucontext_t *uc)
{
	struct unwind *unwind = t.taken % 2 ? &t.known : &t.unknown;
	struct window window = unwind->memory.stack;
	struct registers registers;
	int depth = listed;

	registers_of(&registers, uc);
	t.count = unwind_walk(unwind, &registers, t.pcs, UNWIND_DEPTH);
	unwind->memory.stack = window;
	t.taken++;
	t.depths += t.count;
	if (match(depth) && unwind->reason == UNWIND_END) {
		t.right++;
	} else if (unwind->reason != UNWIND_END || unwind->certain < t.count) {
		t.doubtful++;
	} else if (t.wrong++ < 5) {
		note("wrong: %d frames, %d listed, at %#lx %#lx %#lx", t.count, depth,
		     (unsigned long)(t.pcs[0] - text_start), (unsigned long)(t.pcs[1] - text_start),
		     (unsigned long)(t.pcs[2] - text_start));
	}
	t.stop = t.taken >= interruptions;
}

SKIP static void on_tick(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)info;
	in_handler = true;
	if (!t.stop && listed > 0)
		take(context);
	in_handler = false;
}

/* ---- something to do ---- */

static volatile unsigned sunk;

NOINLINE static unsigned leaf(unsigned n)
{
	return n * 2654435761U ^ n >> 3;
}

NOINLINE static unsigned many_arguments(unsigned a, unsigned b, unsigned c, unsigned d, unsigned e,
					unsigned f, unsigned g, unsigned h, unsigned i)
{
	return leaf(a ^ b) + leaf(c ^ d) * leaf(e ^ f) + leaf(g ^ h) + i;
}

NOINLINE static unsigned recurse(unsigned depth)
{
	if (!depth)
		return leaf(sunk);
	return recurse(depth - 1) * 3 + many_arguments(1, 2, 3, depth, 5, 6, 7, 8, 9);
}

NOINLINE static unsigned variable(unsigned size)
{
	volatile unsigned char *room = alloca(size);

	for (unsigned i = 0; i < size; i++)
		room[i] = (unsigned char)i;
	return room[size / 2] + recurse(3);
}

NOINLINE static unsigned aligned(unsigned size)
{
	volatile unsigned char lined[64] __attribute__((aligned(64)));
	volatile unsigned char *room = alloca(size);

	lined[size % 64] = room[0] = (unsigned char)size;
	return lined[size % 64] + room[0] + leaf(size);
}

NOINLINE static int compare(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	sunk += leaf(x) + leaf(y);
	return x < y ? -1 : x > y;
}

/* Calls a function of libc that calls one of ours, and no others: on i386, glibc does not describe
 * the pushes of its memcpy(), so qsort() is unsuitable. */
NOINLINE static unsigned searching(unsigned seed)
{
	/* By a pointer, since <stdlib.h> has an inline version. */
	static void *(*volatile const search)(const void *, const void *, size_t, size_t,
					      int (*)(const void *, const void *)) = bsearch;
	unsigned numbers[32], wanted = seed % 32;
	const unsigned *found;

	for (unsigned i = 0; i < 32; i++)
		numbers[i] = i;
	found = search(&wanted, numbers, 32, sizeof(*numbers), compare);
	return found ? *found : 0;
}

NOINLINE static double floating(double x, unsigned n)
{
	double sum = 0;

	for (unsigned i = 1; i < n; i++)
		sum += x / i + (double)leaf(i);
	return sum;
}

NOINLINE static unsigned switching(unsigned n)
{
	switch (n % 5) {
	case 0:
		return variable(n % 100 + 1);
	case 1:
		return aligned(n % 50 + 1);
	case 2:
		return searching(n);
	case 3:
		return (unsigned)floating(n, 20);
	default:
		return recurse(n % 30);
	}
}

NOINLINE static void work(void)
{
	for (unsigned n = 0; !t.stop; n++)
		sunk += switching(n);
}

/* ---- */

SKIP static void start_ticking(void)
{
	struct sigaction act = { .sa_sigaction = on_tick,
				 .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN };
	long ns = is_emulated() ? EMULATED_NS : 27001;
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	sigaction(SIGRTMIN, &act, NULL);
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &every, NULL))
		bail_out("there is no timer");
}

SKIP static void list_functions(void)
{
	void *const functions[] = {
		(void *)leaf,
		(void *)many_arguments,
		(void *)recurse,
		(void *)variable,
		(void *)aligned,
		(void *)compare,
		(void *)searching,
		(void *)floating,
		(void *)switching,
		(void *)work,
		(void *)start_ticking,
		(void *)list_functions,
		(void *)on_tick,
		(void *)match,
		(void *)match_list,
		(void *)match_function,
		(void *)ours,
		(void *)function_of,
		(void *)__cyg_profile_func_enter,
		(void *)__cyg_profile_func_exit,
		(void *)unwind_walk,
	};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		starts[start_count++] = (uintptr_t)functions[i];
	text_start = (uintptr_t)&__executable_start;
	text_end = (uintptr_t)&etext;
}

NOINLINE SKIP static void find_base(void)
{
	struct trace trace = { 0 };

	/* This, main(), and its callers. */
	_Unwind_Backtrace(trace_add, &trace);
	for (int i = 2; i < trace.count && t.base_count < 8; i++)
		if (!t.base_count && trace.pcs[i] != list[0].back)
			continue;
		else
			t.base[t.base_count++] = trace.pcs[i];
}

int main(void)
{
	static char handler_stack[64 * 1024];
	stack_t stack = { .ss_sp = handler_stack, .ss_size = sizeof(handler_stack) };

	if (is_emulated())
		interruptions = EMULATED_INTERRUPTIONS;
	starts[start_count++] = (uintptr_t)main;
	list_functions();
	self_init();
	t.known = t.unknown = self_unwind();
	t.known.memory.stack = self_stack();
	find_base();
	sigaltstack(&stack, NULL);
	start_ticking();
	work();
	note("%ld interruptions, %ld frames: %ld right, %ld wrong and said so, %ld wrong", t.taken,
	     t.depths, t.right, t.doubtful, t.wrong);
	ok(t.taken >= interruptions, "the program was interrupted %ld times", interruptions);
	ok(t.right * 1000 >= t.taken * 999, "99.9 %% of walks are exactly right");
	ok(t.wrong == 0, "none is wrong without saying so");
	return tap_done();
}
