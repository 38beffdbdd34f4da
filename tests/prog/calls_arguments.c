/* SPDX-License-Identifier: MIT
 *
 * calls_arguments.c - whatever a function is passed and returns arrives as it was sent, and no
 * register changes on the way.
 */
#include <fenv.h>

#include "calls_target.h"
#include "calls_values.h"

/* The first call of a function is bound on the way, the others are not: all must be right. */
#define TIMES 3

static void integers(void)
{
	struct pair pair;
	struct large large = { { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 } };

	for (int i = 0; i < TIMES; i++) {
		printf("ints %ld\n", value_ints(1 + i, -2, 3, -4, 5, -6, 7, -8, 9, -10));
		printf("narrow %d\n", value_narrow(i & 1, -100 - i, 200, -30000, 60000));
		printf("bool %d char %d\n", value_bool(i & 1), value_char((signed char)(127 - i)));
		pair = value_pair((struct pair){ -1 - i, 1L << 30 });
		printf("pair %ld %ld\n", pair.a, pair.b);
		large = value_large(large, i + 2);
		printf("large %ld %ld\n", large.v[0], large.v[9]);
	}
	expect("value_ints calls=%d", TIMES);
	expect("value_narrow calls=%d", TIMES);
	expect("value_bool calls=%d", TIMES);
	expect("value_char calls=%d", TIMES);
	expect("value_pair calls=%d", TIMES);
	expect("value_large calls=%d", TIMES);
}

static void int128(void)
{
#ifdef __SIZEOF_INT128__
	__int128 value = (__int128)1 << 100;

	for (int i = 0; i < TIMES; i++) {
		value = value_int128(-3, value, 12345678901234567LL);
		printf("%016llx%016llx\n", (unsigned long long)(value >> 64),
		       (unsigned long long)value);
	}
	expect("value_int128 calls=%d", TIMES);
#else
	skip_scenario("there is no __int128 here");
#endif
}

static void floating(void)
{
	struct mixed mixed = { 1.5, -7 };
	struct floats floats = { 1.5F, -2.5F, 3.5F };
	long double precise = 1.0L / 3;
	float complex cf = 1 + 2 * I;
	double complex cd = 0.5 - 1.5 * I;
	long double complex cl = 1.0L / 3 + 2.0L / 7 * I;

	for (int i = 0; i < TIMES; i++) {
		printf("float %a doubles %a\n", value_float(i, 0.1F),
		       value_doubles(1.1 * i, -2, 3.3, -4, 5.5, -6, 7.7, -8, 9.9, -10));
		mixed = value_mixed(mixed, 1.25, -3);
		printf("mixed %a %ld\n", mixed.d, mixed.l);
		floats = value_floats(floats);
		printf("floats %a %a %a\n", floats.x, floats.y, floats.z);
		precise = value_long_double(precise, 3, 0.1L);
		printf("long double %La\n", precise);
		cf = value_complex_float(cf);
		cd = value_complex_double(cd);
		cl = value_complex_long_double(cl);
		printf("complex %a %a, %a %a, %La %La\n", crealf(cf), cimagf(cf), creal(cd),
		       cimag(cd), creall(cl), cimagl(cl));
	}
	expect("value_float calls=%d", TIMES);
	expect("value_doubles calls=%d", TIMES);
	expect("value_mixed calls=%d", TIMES);
	expect("value_floats calls=%d", TIMES);
	expect("value_long_double calls=%d", TIMES);
	expect("value_complex_float calls=%d", TIMES);
	expect("value_complex_double calls=%d", TIMES);
	expect("value_complex_long_double calls=%d", TIMES);
}

static double sum_of(int count, ...)
{
	va_list args;
	double sum;

	va_start(args, count);
	sum = value_sum_list(count, args);
	va_end(args);
	return sum;
}

static void variable(void)
{
	char text[256];

	for (int i = 0; i < TIMES; i++) {
		int length =
			value_format(text, sizeof(text), "%d %s %.3f %ld %c %Lg %.2f %.2f %.2f %d",
				     i, "text", 1.5 + i, -1L, 'x', 2.5L, 3.5, 4.5, 5.5, 99);

		printf("%d: %s\n", length, text);
		printf("%a\n", value_sum(10, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.5));
		printf("%a\n", value_sum(0) + sum_of(3, 1.5, 2.5, (double)i));
	}
	expect("value_format calls=%d", TIMES);
	expect("value_sum calls=%d", 2 * TIMES);
	expect("value_sum_list calls=%d", TIMES);
}

/* A function that fails sets errno, and one that does not leaves it alone. */
static void error_number(void)
{
	for (int i = 0; i < TIMES; i++) {
		errno = 77 + i;
		printf("was %d", value_errno(0));
		printf(", is %d", errno);
		value_errno(EIO);
		printf(", then %d\n", errno == EIO);
	}
	expect("value_errno calls=%d", 2 * TIMES);
}

#ifdef __x86_64__
__attribute__((target("avx"))) static NOINLINE void ymm(void)
{
	__m256d a = { 1, 2, 3, 4 }, b = { 0.5, 0.25, 0.125, 0.0625 };
	double out[4];

	for (int i = 0; i < TIMES; i++) {
		a = value_ymm(a, b);
		_mm256_storeu_pd(out, a);
		for (int j = 0; j < 4; j++)
			printf(" %a", out[j]);
	}
	expect("value_ymm calls=%d", TIMES);
}

__attribute__((target("avx512f"))) static NOINLINE void zmm(void)
{
	__m512d a = { 1, 2, 3, 4, 5, 6, 7, 8 }, b = { 0.5, 0.25, 0.125, 1, 2, 3, 4, 5 };
	double out[8];

	for (int i = 0; i < TIMES; i++) {
		a = value_zmm(a, b);
		_mm512_storeu_pd(out, a);
		for (int j = 0; j < 8; j++)
			printf(" %a", out[j]);
	}
	expect("value_zmm calls=%d", TIMES);
}

static void vectors(void)
{
	__m128d a = { 1, 2 }, b = { 0.5, 0.25 };
	__float128 wide = 1 / (__float128)3;

	for (int i = 0; i < TIMES; i++) {
		a = value_xmm(a, b);
		wide = value_float128(wide, 3.5);
		printf(" %a %a %a", a[0], a[1], (double)wide);
	}
	expect("value_xmm calls=%d", TIMES);
	expect("value_float128 calls=%d", TIMES);
	if (__builtin_cpu_supports("avx"))
		ymm();
	if (__builtin_cpu_supports("avx512f"))
		zmm();
	printf("\n");
}

/* Rounding modes, masks and flags are the program's, on both sides of the call. */
static void cpu_state(void)
{
	static const int modes[] = { FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO, FE_TONEAREST };
	struct cpu_state in_library, before, after;

	for (int i = 0; i < 4; i++) {
		fesetround(modes[i]);
		_mm_setcsr(_mm_getcsr() | 0x8040); /* small numbers are 0 */
		__asm__ volatile("stmxcsr %0; fnstcw %1"
				 : "=m"(before.mxcsr), "=m"(before.x87_control));
		value_cpu_state(&in_library);
		__asm__ volatile("stmxcsr %0; fnstcw %1; pushfq; popq %2"
				 : "=m"(after.mxcsr), "=m"(after.x87_control), "=r"(after.flags));
		printf("%d %d %d %d, tags %x, direction %d %d\n", before.mxcsr == in_library.mxcsr,
		       before.mxcsr == after.mxcsr, before.x87_control == in_library.x87_control,
		       before.x87_control == after.x87_control, in_library.x87_tags,
		       (int)(in_library.flags >> 10 & 1), (int)(after.flags >> 10 & 1));
	}
	fesetenv(FE_DFL_ENV);
	expect("value_cpu_state calls=4");
}

/*
 * Every register, before and after a function that touches none. Vector registers by XSAVE, which
 * knows all that this CPU has; of general registers, all but the stack pointer and r11, which the
 * PLT may use for itself.
 */
#define GENERAL      14
#define XSAVE_SIZE   16384
#define WHICH_VECTOR 0xe6 /* SSE, AVX, and of AVX-512 the masks and both halves */

extern uint64_t all_general[2][GENERAL] __attribute__((visibility("hidden")));
extern char all_vector[2][XSAVE_SIZE] __attribute__((visibility("hidden")));
extern void *all_function __attribute__((visibility("hidden")));
uint64_t all_general[2][GENERAL];
char all_vector[2][XSAVE_SIZE] __attribute__((aligned(64)));
void *all_function;

void call_with_all(uint32_t which);
__asm__(".pushsection .text\n"
	".globl call_with_all\n"
	".type call_with_all, @function\n"
	"call_with_all:\n"
	"	push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15; push %rdi\n"
	"	mov %edi, %eax; xor %edx, %edx\n"
	"	xrstor64 all_vector(%rip)\n"
	".irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13\n"
	"	pushq all_general+8*\\n(%rip)\n"
	".endr\n"
	"	pop %rax; pop %rbx; pop %rcx; pop %rdx; pop %rsi; pop %rdi; pop %rbp\n"
	"	pop %r8; pop %r9; pop %r10; pop %r12; pop %r13; pop %r14; pop %r15\n"
	"	call *all_function(%rip)\n"
	"	push %r15; push %r14; push %r13; push %r12; push %r10; push %r9; push %r8\n"
	"	push %rbp; push %rdi; push %rsi; push %rdx; push %rcx; push %rbx; push %rax\n"
	".irp n, 13,12,11,10,9,8,7,6,5,4,3,2,1,0\n"
	"	popq all_general+8*14+8*\\n(%rip)\n"
	".endr\n"
	"	mov (%rsp), %eax; xor %edx, %edx\n"
	"	xsave64 all_vector+16384(%rip)\n"
	"	pop %rdi; pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx\n"
	"	ret\n"
	".size call_with_all, . - call_with_all\n"
	".popsection\n");

/* Finds the offset and size of a component in the XSAVE area; for SSE, of its registers alone. */
static void component_place(unsigned int component, unsigned int *offset, unsigned int *size)
{
	unsigned int ecx, edx;

	*offset = 160;
	*size = 256;
	if (component != 1)
		__asm__("cpuid"
			: "=a"(*size), "=b"(*offset), "=c"(ecx), "=d"(edx)
			: "a"(13), "c"(component));
}

static uint32_t supported_components(void)
{
	uint32_t eax, edx;

	if (!__builtin_cpu_supports("avx"))
		skip_scenario("this CPU has no AVX");
	__asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	return eax & WHICH_VECTOR;
}

static void fill_components(uint32_t which)
{
	uint64_t header[2] = { which, 0 };

	memset(all_vector, 0, sizeof(all_vector));
	*(uint32_t *)(all_vector[0] + 24) = 0x1f80; /* mxcsr */
	memcpy(all_vector[0] + 512, header, sizeof(header));
	for (unsigned int i = 1; i < 8; i++) {
		unsigned int offset, size;

		if (!(which >> i & 1))
			continue;
		component_place(i, &offset, &size);
		for (unsigned int j = 0; j < size; j++)
			all_vector[0][offset + j] = (char)(i * 31 + j + 1);
	}
}

/* Compares the general registers and the vector components whose bits are set. */
static void compare_registers(unsigned int general, uint32_t which)
{
	static const char names[GENERAL][4] = { "r15", "r14", "r13", "r12", "r10", "r9",  "r8",
						"rbp", "rdi", "rsi", "rdx", "rcx", "rbx", "rax" };

	for (unsigned int i = 0; i < GENERAL; i++) {
		if ((general >> i & 1) && all_general[0][i] != all_general[1][i])
			printf("%s changed\n", names[i]);
	}
	for (unsigned int i = 1; i < 8; i++) {
		unsigned int offset, size;

		if (!(which >> i & 1))
			continue;
		component_place(i, &offset, &size);
		if (memcmp(all_vector[0] + offset, all_vector[1] + offset, size) != 0)
			printf("vector component %u changed\n", i);
	}
}

static void call_and_compare(unsigned int general)
{
	uint32_t which = supported_components();

	all_function = (void *)value_nothing;
	for (int times = 0; times < TIMES; times++) {
		fill_components(which);
		for (int i = 0; i < GENERAL; i++)
			all_general[0][i] = 0x1111111111111111U * (uint64_t)(i + 1);
		call_with_all(which);
		compare_registers(general, which);
	}
	printf("compared\n");
	expect("value_nothing calls=%d", TIMES);
}

#define RESULTS_AND_SAVED 0x348f /* rax, rdx, and what a function must leave as it was */

static void registers(void)
{
	call_and_compare(RESULTS_AND_SAVED);
}

/*
 * A function may leave any value in these. But one with the convention preserve_most, as those of
 * Swift's runtime, promises not to, and its callers trust it.
 */
static void spare_registers(void)
{
	call_and_compare(~0U);
}

/* r10, by which a nested function finds the variables around it. */
static void static_chain(void)
{
	enum { RAX = 13, R10 = 4 };
	uint32_t which = supported_components();

	all_function = (void *)value_chain;
	for (unsigned int i = 0; i < TIMES; i++) {
		all_general[0][R10] = 4711 + i;
		fill_components(which);
		call_with_all(which);
		printf("%d\n", (int)all_general[1][RAX]);
	}
	expect("value_chain calls=%d", TIMES);
}
#else
static void not_here(void)
{
	skip_scenario("it is written for x86-64");
}
#define vectors         not_here
#define cpu_state       not_here
#define static_chain    not_here
#define registers       not_here
#define spare_registers not_here
#endif

static const struct scenario scenarios[] = {
	{ "integers", integers },         { "int128", int128 },
	{ "floating", floating },         { "variable", variable },
	{ "error_number", error_number }, { "vectors", vectors },
	{ "cpu_state", cpu_state },       { "static_chain", static_chain },
	{ "registers", registers },       { "spare_registers", spare_registers },
};

MAIN_OF(scenarios)
