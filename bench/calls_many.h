/* SPDX-License-Identifier: MIT
 *
 * calls_many.h - MANY(X): X(many_0000) to X(many_4999), the functions of a library as large as a
 * program may well need.
 */
#ifndef DWELL_BENCH_CALLS_MANY_H
#define DWELL_BENCH_CALLS_MANY_H

/* clang-format off */
#define MANY_10(X, n) \
	X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define MANY_100(X, n) \
	MANY_10(X, n##0) MANY_10(X, n##1) MANY_10(X, n##2) MANY_10(X, n##3) MANY_10(X, n##4) \
	MANY_10(X, n##5) MANY_10(X, n##6) MANY_10(X, n##7) MANY_10(X, n##8) MANY_10(X, n##9)
#define MANY_1000(X, n) \
	MANY_100(X, n##0) MANY_100(X, n##1) MANY_100(X, n##2) MANY_100(X, n##3) MANY_100(X, n##4) \
	MANY_100(X, n##5) MANY_100(X, n##6) MANY_100(X, n##7) MANY_100(X, n##8) MANY_100(X, n##9)
#define MANY(X) \
	MANY_1000(X, many_0) MANY_1000(X, many_1) MANY_1000(X, many_2) MANY_1000(X, many_3) \
	MANY_1000(X, many_4)
/* clang-format on */

#endif
