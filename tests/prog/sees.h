/* SPDX-License-Identifier: MIT
 *
 * sees.h - the common part of the programs and libraries sees_*. They are targets for `dwell
 * calls`: each makes calls in one way, and prints how many of them a profiler must find.
 */
#ifndef DWELL_TESTS_SEES_H
#define DWELL_TESTS_SEES_H

#include <stdio.h>

typedef int (*sees_function)(int);

/* libsees_basic.so */
int sees_add(int a, int b);
int sees_twice(int a);
int sees_thrice(int a);
int sees_first_name(int a);
int sees_other_name(int a); /* the same function */
int sees_compare(const void *a, const void *b);
unsigned long sees_compared(void); /* calls of sees_compare(), by its own count */

/* libsees_upper.so, which calls libsees_basic.so */
int sees_sum(int count);               /* by as many calls of sees_add() */
sees_function sees_upper_code(void);   /* the address of sees_twice(), as its code takes it */
sees_function sees_upper_data(void);   /* the same, as its data has it */
extern sees_function sees_upper_twice; /* that data */

/* libsees_phases_library.so */
int sees_phases(void);

/* libsees_ifunc_library.so */
int sees_pick(int a);

/* libsees_hole_library.so */
int sees_hole(int a);

/* libsees_symbolic_library.so */
int sees_signal_first(int a);
int sees_signal_second(int a);
int sees_signal_third(int a);
int sees_signal_number(sees_function function); /* which of the first two it is; -1: none */

/* `function` is the name in the symbol table, with @VERSION where it has one. */
static inline void expect(const char *function, const char *object, unsigned long calls)
{
	printf("expect %s %s calls=%lu\n", function, object, calls);
}

#endif
