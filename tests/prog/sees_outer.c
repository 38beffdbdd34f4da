/* SPDX-License-Identifier: MIT
 *
 * sees_outer.c - see sees_spin.h.
 */
#include "sees_spin.h"

long sees_outer(long ns, long inner_ns, int count, struct sees_pair *inner, long *own_ns)
{
	long start = sees_clock_ns();

	*own_ns += sees_work(ns);
	for (int i = 0; i < count; i++) {
		long before = sees_clock_ns();

		inner[i].inside_ns = sees_inner(inner_ns);
		inner[i].outside_ns = sees_clock_ns() - before;
		*own_ns += sees_work(ns);
	}
	return sees_clock_ns() - start;
}

/* The compiler calls a function by its name where it does not know that it is this one. */
long recurse_by_name(int depth, long ns, long *own_ns) __asm__("sees_recurse");

long sees_recurse(int depth, long ns, long *own_ns)
{
	long start = sees_clock_ns();

	*own_ns += sees_work(ns);
	if (depth > 0)
		recurse_by_name(depth - 1, ns, own_ns);
	*own_ns += sees_work(ns);
	return sees_clock_ns() - start;
}

long sees_ping(int depth, long ns, long *own_ns)
{
	long start = sees_clock_ns();

	*own_ns += sees_work(ns);
	if (depth > 0)
		sees_pong(depth - 1, ns, own_ns);
	*own_ns += sees_work(ns);
	return sees_clock_ns() - start;
}

long sees_pong(int depth, long ns, long *own_ns)
{
	long start = sees_clock_ns();

	*own_ns += sees_work(ns);
	if (depth > 0)
		sees_ping(depth - 1, ns, own_ns);
	*own_ns += sees_work(ns);
	return sees_clock_ns() - start;
}
