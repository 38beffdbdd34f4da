/* SPDX-License-Identifier: MIT
 *
 * calls_values.c - see calls_values.h. Each return value depends on every part of every argument.
 */
#include <errno.h>
#include <stdio.h>

#include "calls_values.h"

long value_ints(long a, long b, long c, long d, long e, long f, long g, long h, long i, long j)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j;
}

int value_narrow(bool a, signed char b, unsigned char c, short d, unsigned short e)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e;
}

bool value_bool(bool a)
{
	return !a;
}

signed char value_char(signed char a)
{
	return (signed char)-a;
}

float value_float(float a, float b)
{
	return a - b;
}

double value_doubles(double a, double b, double c, double d, double e, double f, double g, double h,
		     double i, double j)
{
	return a + 2 * b + 3 * c + 5 * d + 7 * e + 11 * f + 13 * g + 17 * h + 19 * i + 23 * j;
}

struct pair value_pair(struct pair a)
{
	return (struct pair){ a.b, a.a };
}

struct mixed value_mixed(struct mixed a, double b, long c)
{
	return (struct mixed){ a.d * b, a.l * c };
}

struct floats value_floats(struct floats a)
{
	return (struct floats){ a.y, a.z, a.x };
}

struct large value_large(struct large a, long b)
{
	struct large result;

	for (int i = 0; i < 10; i++)
		result.v[i] = a.v[9 - i] * b;
	return result;
}

long double value_long_double(long double a, double b, long double c)
{
	return a * b - c;
}

float complex value_complex_float(float complex a)
{
	return a * a;
}

double complex value_complex_double(double complex a)
{
	return a * a;
}

long double complex value_complex_long_double(long double complex a)
{
	return a * a;
}

/* Not by value_sum_list(), so that only the program's own calls are counted. */
static double sum_list(int count, va_list args)
{
	double sum = 0;

	for (int i = 1; i <= count; i++)
		sum += i * va_arg(args, double);
	return sum;
}

double value_sum(int count, ...)
{
	va_list args;
	double sum;

	va_start(args, count);
	sum = sum_list(count, args);
	va_end(args);
	return sum;
}

double value_sum_list(int count, va_list args)
{
	return sum_list(count, args);
}

int value_format(char *buffer, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(buffer, size, format, args);
	va_end(args);
	return length;
}

int value_errno(int set)
{
	int before = errno;

	if (set)
		errno = set;
	return before;
}

#ifdef __SIZEOF_INT128__
__int128 value_int128(int a, __int128 b, __int128 c)
{
	return a * b - c;
}
#endif

#ifdef __x86_64__
__float128 value_float128(__float128 a, __float128 b)
{
	return a * b;
}

__m128d value_xmm(__m128d a, __m128d b)
{
	return _mm_add_pd(a, b);
}

__attribute__((target("avx"))) __m256d value_ymm(__m256d a, __m256d b)
{
	return _mm256_add_pd(a, b);
}

__attribute__((target("avx512f"))) __m512d value_zmm(__m512d a, __m512d b)
{
	return _mm512_add_pd(a, b);
}

void value_cpu_state(struct cpu_state *state)
{
	struct {
		uint16_t control, gap_1, status, gap_2, tags, gap_3;
		uint32_t rest[4];
	} x87;

	__asm__ volatile("pushfq; popq %0; stmxcsr %1; fnstenv %2; fldenv %2"
			 : "=r"(state->flags), "=m"(state->mxcsr), "=m"(x87));
	state->x87_control = x87.control;
	state->x87_status = x87.status;
	state->x87_tags = x87.tags;
}

__asm__(".pushsection .text\n"
	".p2align 4\n" /* room for a jump at each entry */
	".globl value_nothing\n"
	".type value_nothing, @function\n"
	"value_nothing:\n"
	"	ret\n"
	".size value_nothing, . - value_nothing\n"
	".p2align 4\n"
	".globl value_chain\n"
	".type value_chain, @function\n"
	"value_chain:\n"
	"	mov %r10, %rax\n"
	"	ret\n"
	".size value_chain, . - value_chain\n"
	".popsection\n");
#endif
