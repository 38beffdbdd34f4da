/* SPDX-License-Identifier: MIT
 *
 * sees_callers.c - calls sees_add() from functions of different kinds, and prints how often each
 * does:
 *
 *	caller NAME CALLS
 *	jit PATH                a file to remove: the names of code that was made at run time
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sees.h"

#define NOINLINE      __attribute__((noinline, noclone))
#define ALWAYS_INLINE inline __attribute__((always_inline))

static volatile int sum;

NOINLINE static void plain_caller(int times)
{
	for (int i = 0; i < times; i++)
		sum += sees_add(i, i);
}

/* Two call sites: one row. */
NOINLINE static void twofold_caller(int times)
{
	for (int i = 0; i < times; i++) {
		sum += sees_add(i, i);
		sum -= sees_add(i, 1);
	}
}

static ALWAYS_INLINE void inlined_caller(int times)
{
	for (int i = 0; i < times; i++)
		sum += sees_add(i, 2);
}

NOINLINE static void outer(int times)
{
	inlined_caller(times);
	sum++;
}

/* A caller that ends by a jump leaves no return address: its own caller is shown. Calls of another
 * object need a register on i386, which is restored behind them: there is no jump. */
#ifdef __i386__
#define SHOWN_JUMPER "jumper"
#else
#define SHOWN_JUMPER "caller_of_jumper"
#endif
NOINLINE __attribute__((optimize("O2"))) static int jumper(int i)
{
	return sees_add(i, 3);
}

NOINLINE static void caller_of_jumper(int times)
{
	for (int i = 0; i < times; i++)
		sum += jumper(i);
}

#ifdef __x86_64__
/* Calls the function that is its third argument, with the first two. */
static const unsigned char jit_code[] = { 0x48, 0x83, 0xec, 0x08, /* sub $8, %rsp */
					  0xff, 0xd2,             /* call *%rdx */
					  0x48, 0x83, 0xc4, 0x08, /* add $8, %rsp */
					  0xc3 };

static void call_from_jit(int times)
{
	unsigned char *code =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int (*made)(int, int, int (*)(int, int)) = (int (*)(int, int, int (*)(int, int)))code;
	char path[64];
	FILE *names;

	memcpy(code, jit_code, sizeof(jit_code));
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	names = fopen(path, "w");
	if (!names)
		return;
	fprintf(names, "%lx %zx jit_caller\n", (unsigned long)(uintptr_t)code, sizeof(jit_code));
	fclose(names);
	for (int i = 0; i < times; i++)
		sum += made(i, i, sees_add);
	printf("caller jit_caller %d\njit %s\n", times, path);
}
#else
static void call_from_jit(int times)
{
	(void)times;
}
#endif

int main(void)
{
	plain_caller(5);
	twofold_caller(6);
	outer(7);
	caller_of_jumper(8);
	call_from_jit(9);
	puts("caller plain_caller 5\ncaller twofold_caller 12\ncaller inlined_caller 7\n"
	     "caller " SHOWN_JUMPER " 8");
	return 0;
}
