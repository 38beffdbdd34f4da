/* SPDX-License-Identifier: MIT
 *
 * calls_values.h - libcalls_values.so: functions that are passed, and return, every kind of value.
 */
#ifndef DWELL_TESTS_CALLS_VALUES_H
#define DWELL_TESTS_CALLS_VALUES_H

#include <complex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pair {
	long a, b; /* in two general registers */
};

struct mixed {
	double d; /* one in each kind of register */
	long l;
};

struct floats {
	float x, y, z; /* packed in two vector registers */
};

struct large {
	long v[10]; /* in memory; returned where a hidden pointer says */
};

long value_ints(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j);
int value_narrow(bool a, signed char b, unsigned char c, short d, unsigned short e);
bool value_bool(bool a);
signed char value_char(signed char a);
float value_float(float a, float b);
double value_doubles(double a, double b, double c, double d, double e, double f, double g, double h,
		     double i, double j);
struct pair value_pair(struct pair a);
struct mixed value_mixed(struct mixed a, double b, long c);
struct floats value_floats(struct floats a);
struct large value_large(struct large a, long b);
long double value_long_double(long double a, double b, long double c);
float complex value_complex_float(float complex a);
double complex value_complex_double(double complex a);
long double complex value_complex_long_double(long double complex a);
double value_sum(int count, ...);
double value_sum_list(int count, va_list args);
int value_format(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
int value_errno(int set); /* 0: leaves errno alone; returns what it was */

#ifdef __SIZEOF_INT128__
__int128 value_int128(int a, __int128 b, __int128 c);
#endif

#ifdef __x86_64__
#include <immintrin.h>

__float128 value_float128(__float128 a, __float128 b);
__m128d value_xmm(__m128d a, __m128d b);
__attribute__((target("avx"))) __m256d value_ymm(__m256d a, __m256d b);
__attribute__((target("avx512f"))) __m512d value_zmm(__m512d a, __m512d b);

/* The state of the CPU on entry to a function. */
struct cpu_state {
	uint64_t flags;
	uint32_t mxcsr;
	uint16_t x87_control, x87_status, x87_tags;
};

void value_cpu_state(struct cpu_state *state);
void value_nothing(void);     /* returns, and touches no register */
void *value_chain(void *arg); /* the static chain it is called with */
#endif

#endif
