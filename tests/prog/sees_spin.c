/* SPDX-License-Identifier: MIT
 *
 * sees_spin.c - see sees_spin.h.
 */
#include "sees_spin.h"

long sees_short(long ns)
{
	return sees_work(ns);
}

long sees_long(long ns)
{
	return sees_work(ns);
}

long sees_mixed(long ns)
{
	return sees_work(ns);
}

long sees_varied(long ns)
{
	return sees_work(ns);
}

long sees_inner(long ns)
{
	return sees_work(ns);
}

long sees_sleep(long ns)
{
	long start = sees_clock_ns();
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
	return sees_clock_ns() - start;
}
