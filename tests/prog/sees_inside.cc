/* SPDX-License-Identifier: MIT
 *
 * sees_inside.cc - calls inside a program, which no table of the linker leads to: of static
 * functions, by pointers, recursive, in tail position, left by exceptions and by longjmp(), from
 * several threads; and a fault at the first instruction of a function.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

extern "C" {
static void expect(const char *symbol, long calls)
{
	printf("expect %s sees_inside calls=%ld\n", symbol, calls);
}

APART static int inside_plain(int a)
{
	__asm__ volatile("" : "+r"(a));
	return 3 * a + 1;
}

APART static int inside_tail(int a)
{
	return inside_plain(a + 1);
}

APART static int inside_recursive(int depth)
{
	int below = depth ? inside_recursive(depth - 1) : 0;

	__asm__ volatile("" : "+r"(below)); /* or it would be a loop */
	return below + 1;
}

APART static void inside_throws(int a)
{
	throw a;
}

APART static int inside_catches(int a)
{
	try {
		inside_throws(a);
	} catch (int caught) {
		return caught;
	}
	return -1;
}

static jmp_buf back;

APART static void inside_jumps(void)
{
	longjmp(back, 1);
}

APART static void *inside_thread(void *times)
{
	long sum = 0;

	for (int i = 0; i < *(int *)times; i++)
		sum += inside_plain(i);
	return (void *)sum;
}
}

/* Registers that the function does not change, and that its callers may rely on. */
static bool registers_stay_once(void)
{
	unsigned long left = 1;

#ifdef __x86_64__
	unsigned long changed;

	__asm__ volatile("mov $1, %%eax; mov $2, %%ecx; mov $3, %%edx; mov $4, %%esi; mov $5, %%edi\n"
			 "mov $8, %%r8d; mov $9, %%r9d; mov $10, %%r10d; mov $11, %%r11d\n"
			 "sub $256, %%rsp; call inside_nothing; add $256, %%rsp\n"
			 "xor $1, %%rax; xor $2, %%rcx; xor $3, %%rdx; xor $4, %%rsi; xor $5, %%rdi\n"
			 "xor $8, %%r8; xor $9, %%r9; xor $10, %%r10; xor $11, %%r11\n"
			 "or %%rcx, %%rax; or %%rdx, %%rax; or %%rsi, %%rax; or %%rdi, %%rax\n"
			 "or %%r8, %%rax; or %%r9, %%rax; or %%r10, %%rax; or %%r11, %%rax\n"
			 : "=a"(changed)
			 :
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	left = !changed;
#elif defined(__aarch64__)
	unsigned long changed;

	/* All but x16 and x17; and one of the vectors. */
	__asm__ volatile("mov x0, #100; mov x1, #101; mov x2, #102; mov x3, #103; mov x4, #104; mov x5, #105\n"
			 "mov x6, #106; mov x7, #107; mov x8, #108; mov x9, #109; mov x10, #110; mov x11, #111\n"
			 "mov x12, #112; mov x13, #113; mov x14, #114; mov x15, #115; fmov d31, x15\n"
			 "bl inside_nothing\n"
			 "fmov x16, d31; sub x0, x0, #100; sub x1, x1, #101; sub x2, x2, #102; sub x3, x3, #103\n"
			 "sub x4, x4, #104; sub x5, x5, #105; sub x6, x6, #106; sub x7, x7, #107; sub x8, x8, #108\n"
			 "sub x9, x9, #109; sub x10, x10, #110; sub x11, x11, #111; sub x12, x12, #112\n"
			 "sub x13, x13, #113; sub x14, x14, #114; sub x15, x15, #115; sub x16, x16, #115\n"
			 "orr x0, x0, x1; orr x2, x2, x3; orr x4, x4, x5; orr x6, x6, x7; orr x8, x8, x9\n"
			 "orr x10, x10, x11; orr x12, x12, x13; orr x14, x14, x15; orr x0, x0, x16\n"
			 "orr x0, x0, x2; orr x4, x4, x6; orr x8, x8, x10; orr x12, x12, x14\n"
			 "orr x0, x0, x4; orr x8, x8, x12; orr %0, x0, x8\n"
			 : "=r"(changed)
			 :
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14",
			   "x15", "x16", "x17", "x30", "v31", "memory", "cc");
	left = !changed;
#endif
	return left;
}

/* The first call is counted in another way than those that follow. */
static bool registers_stay(void)
{
	bool stay = true;

	for (int i = 0; i < 100; i++)
		stay = registers_stay_once() && stay;
	return stay;
}

#ifdef __x86_64__
__asm__(".text\n.p2align 4\n.type inside_nothing, @function\ninside_nothing:\n.cfi_startproc\n"
	"nop\nnop\nnop\nnop\nnop\nret\n.cfi_endproc\n.size inside_nothing, . - inside_nothing\n");
#elif defined(__aarch64__)
__asm__(".text\n.p2align 4\n.type inside_nothing, %function\ninside_nothing:\n.cfi_startproc\n"
	"hint 34\nnop\nret\n.cfi_endproc\n.size inside_nothing, . - inside_nothing\n");
#endif

static sigjmp_buf after_fault;
static volatile int passed;

extern "C" {
APART static int inside_faults(const int *number)
{
	int found = *number;

	__asm__ volatile("" : "+r"(found));
	return found + 1;
}

APART __attribute__((aligned(64))) static int inside_calls_fault(const int *number)
{
	int found = inside_faults(number);

	__asm__ volatile("" : "+r"(found));
	return found + 1;
}
}

static int (*unw_backtrace)(void **, int); /* of libunwind; NULL: it is not installed */

/* Looks for the caller of the function that has faulted; no other code is within 64 bytes. */
APART __attribute__((aligned(64))) static void look(int (*walk)(void **, int))
{
	void *frames[32];
	int count = walk(frames, 32);

	for (int i = 0; i < count; i++)
		if ((char *)frames[i] > (char *)inside_calls_fault &&
		    (char *)frames[i] < (char *)inside_calls_fault + 64)
			passed++;
}

static void on_fault(int)
{
	look(backtrace);
	if (unw_backtrace)
		look(unw_backtrace);
	siglongjmp(after_fault, 1);
}

static void fault(void)
{
	const int *volatile nothing = NULL;
	void *frames[1];

	void *library = dlopen("libunwind.so.8", RTLD_NOW | RTLD_LOCAL);

	backtrace(frames, 1); /* loads the unwinder */
	if (library)
		*(void **)&unw_backtrace = dlsym(library, "unw_backtrace");
	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(after_fault, 1))
		inside_calls_fault(nothing);
	signal(SIGSEGV, SIG_DFL);
	printf("callers of the fault: %d of %d\n", (int)passed, unw_backtrace ? 2 : 1);
}

int main(void)
{
	static int times[2] = { 500, 700 };
	int (*volatile pointer)(int) = inside_plain;
	pthread_t threads[2];
	volatile long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum = sum + inside_plain(i) + pointer(i) + inside_tail(i);
	for (int i = 0; i < 10; i++)
		sum = sum + inside_recursive(10) + inside_catches(i);
	for (volatile int i = 0; i < 5; i++)
		if (!setjmp(back))
			inside_jumps();
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, inside_thread, &times[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld, registers stay %d\n", (long)sum, registers_stay());
	fault();
	expect("inside_plain", 3000 + 500 + 700);
	expect("inside_tail", 1000);
	expect("inside_recursive", 110);
	expect("inside_throws", 10);
	expect("inside_catches", 10);
	expect("inside_jumps", 5);
	expect("inside_thread", 2);
	expect("inside_nothing", 100);
	expect("inside_calls_fault", 1);
	expect("inside_faults", 1);
	return 0;
}
