/* SPDX-License-Identifier: MIT
 *
 * inlined.h - functions that are inlined in each other whatever the compiler thinks of it. Places
 * that a test asks for have a symbol that no function has, "spot_NAME.N"; lines that it expects
 * have a comment "at: NAME".
 */
#ifndef DWELL_TESTS_INLINED_H
#define DWELL_TESTS_INLINED_H

#define ALWAYS static inline __attribute__((always_inline))

/* Each time that the code is inlined, N is another one. */
#define SPOT(name) __asm__ volatile("spot_" name ".%=: nop" : :)

ALWAYS unsigned leaf(unsigned x)
{
	SPOT("leaf"); /* at: leaf */
	return x * 7 + 1;
}

ALWAYS unsigned middle(unsigned x)
{
	x = leaf(x);        /* at: middle, first */
	return leaf(x ^ 5); /* at: middle, second */
}

/* Inlined in both units, each of which has a copy of it too. */
ALWAYS unsigned shared(unsigned x)
{
	SPOT("shared"); /* at: shared */
	return x + 3;
}

#endif
