/* SPDX-License-Identifier: MIT
 *
 * calls_many.h - libcalls_many.so: 500 functions, many_000() to many_499(). MANY(X) is X(000)
 * X(001) ...
 */
#ifndef DWELL_TESTS_CALLS_MANY_H
#define DWELL_TESTS_CALLS_MANY_H

#define MANY_COUNT 500

#define MANY_TEN(X, n)                                                                             \
	X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define MANY_HUNDRED(X, n)                                                                         \
	MANY_TEN(X, n##0)                                                                          \
	MANY_TEN(X, n##1)                                                                          \
	MANY_TEN(X, n##2)                                                                          \
	MANY_TEN(X, n##3)                                                                          \
	MANY_TEN(X, n##4)                                                                          \
	MANY_TEN(X, n##5)                                                                          \
	MANY_TEN(X, n##6)                                                                          \
	MANY_TEN(X, n##7)                                                                          \
	MANY_TEN(X, n##8)                                                                          \
	MANY_TEN(X, n##9)
#define MANY(X)                                                                                    \
	MANY_HUNDRED(X, 0)                                                                         \
	MANY_HUNDRED(X, 1)                                                                         \
	MANY_HUNDRED(X, 2)                                                                         \
	MANY_HUNDRED(X, 3)                                                                         \
	MANY_HUNDRED(X, 4)

#define MANY_DECLARE(n) int many_##n(int x);
MANY(MANY_DECLARE)

#endif
