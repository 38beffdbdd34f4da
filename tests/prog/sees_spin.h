/* SPDX-License-Identifier: MIT
 *
 * sees_spin.h - functions that take a known time: libsees_spin.so, and libsees_outer.so which calls
 * it. Each returns how long it worked by its own clock, from its first line to its last; the caller
 * measures around the call. A profiler's figure lies between the two, for each single call,
 * whatever else the machine does meanwhile.
 */
#ifndef DWELL_TESTS_SEES_SPIN_H
#define DWELL_TESTS_SEES_SPIN_H

#include <time.h>

/* One call of sees_inner(), as sees_outer() measured it. */
struct sees_pair {
	long inside_ns;
	long outside_ns;
};

/* libsees_spin.so: they all do the same, under names of their own */
long sees_short(long ns);
long sees_long(long ns);
long sees_mixed(long ns);
long sees_varied(long ns);
long sees_inner(long ns);
long sees_sleep(long ns); /* off the CPU */

/* libsees_outer.so: works for ns before, between and after `count` calls of sees_inner(). */
long sees_outer(long ns, long inner_ns, int count, struct sees_pair *inner, long *own_ns);

/* Calls itself, as others would; and two that call each other so. *own_ns grows by the time that
 * they worked themselves. */
long sees_recurse(int depth, long ns, long *own_ns);
long sees_ping(int depth, long ns, long *own_ns);
long sees_pong(int depth, long ns, long *own_ns);

static inline long sees_clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

/* Works for ns, and returns how long it took. */
static inline long sees_work(long ns)
{
	long start = sees_clock_ns(), now;

	do
		now = sees_clock_ns();
	while (now - start < ns);
	return now - start;
}

#endif
