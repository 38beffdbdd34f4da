/* SPDX-License-Identifier: MIT
 *
 * calls_lib.h - the functions that the targets call and the profiler must count: those of
 * libcalls.so, and of libcalls_throw.so, which is C++. None calls another of them.
 */
#ifndef DWELL_TESTS_CALLS_LIB_H
#define DWELL_TESTS_CALLS_LIB_H

#ifdef __cplusplus
extern "C" {
#endif

typedef long callback(long x);

/* libcalls.so */
int lib_add(int a, int b);
long lib_call(callback *f, long x);    /* f(x) + 1 */
long lib_between(callback *f, long x); /* the same, by another name */
long lib_wait(int fd);                 /* reads a byte, and may wait for it for ever */
void lib_spin(volatile int *flag);     /* sets it to 1 and waits until it is 2 */

/* libcalls_throw.so */
void lib_throw(int what);
long lib_through(callback *f, long x);  /* f(x) + 1; has something to clean up */
long lib_catch(callback *f, long x);    /* f(x), or what f throws, negated */
long lib_rethrow(callback *f, long x);  /* f(x); catches what f throws and throws it on */
unsigned long lib_throw_cleanups(void); /* how often lib_through() cleaned up */

#ifdef __cplusplus
}
#endif

#endif
