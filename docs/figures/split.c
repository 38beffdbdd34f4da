/* SPDX-License-Identifier: MIT
 *
 * split KIND - user code and work in the kernel in turns, about as much of one as of the other: how
 * many ticks does each part get? KIND is `calls` (many short system calls), `long` (long ones) or
 * `faults` (page faults).
 */
#include <pcsample.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "figures.h"

#define SECONDS 5
#define MIB     (1 << 20)

static uintptr_t pcs[SECONDS * 2000];

/* The section is this function's alone; the linker names where it begins and ends. */
__attribute__((noinline, section("text_user_part"))) static void user_part(long loops)
{
	for (volatile long i = 0; i < loops; i++)
		;
}
extern char __start_text_user_part[], __stop_text_user_part[];

static void many_calls(void)
{
	for (int i = 0; i < 20000; i++)
		syscall(SYS_getppid);
}

static void long_calls(void)
{
	void *memory = mmap(NULL, 8 * MIB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	munmap(memory, 8 * MIB);
}

static void page_faults(void)
{
	char *memory =
		mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(memory, 4 * MIB, MADV_NOHUGEPAGE);
	for (int i = 0; i < 4 * MIB; i += 4096)
		memory[i] = 1;
	munmap(memory, 4 * MIB);
}

static bool in_user_part(uintptr_t pc)
{
	return pc >= (uintptr_t)__start_text_user_part && pc < (uintptr_t)__stop_text_user_part;
}

/* How many loops of user code take as long as the kernel's part. */
static long balance(void (*kernel_part)(void))
{
	const long loops = 10000000;
	const int turns = 10;
	double start = thread_cpu(), between;

	user_part(loops);
	between = thread_cpu();
	for (int i = 0; i < turns; i++)
		kernel_part();
	return (long)((thread_cpu() - between) / turns / (between - start) * (double)loops);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "calls";
	void (*kernel_part)(void) = strcmp(kind, "long") == 0     ? long_calls
				    : strcmp(kind, "faults") == 0 ? page_faults
								  : many_calls;
	double user = 0, kernel = 0, before, between, after, end;
	long loops = balance(kernel_part);
	struct profil_clock_info info;
	int stored, got = 0;

	if (pcsample(pcs, sizeof(pcs) / sizeof(pcs[0])) < 0)
		clock_in_use();
	before = thread_cpu();
	end = before + SECONDS;
	while (before < end) {
		user_part(loops);
		between = thread_cpu();
		kernel_part();
		after = thread_cpu();
		user += between - before;
		kernel += after - between;
		before = after;
	}
	stored = pcsample(NULL, 0);
	for (int i = 0; i < stored; i++)
		got += in_user_part(pcs[i]);
	profil_clock_info(&info);
	user *= info.asked_hz;
	kernel *= info.asked_hz;
	printf("%-10s %5.0f Hz %-6s  user code: due %5.0f, %+3.0f %%   ", clock_in_use(),
	       info.asked_hz, kind, user, 100 * (got / user - 1));
	printf("kernel: due %5.0f, %+3.0f %%   sum: %+.1f %%\n", kernel,
	       100 * ((stored - got) / kernel - 1), 100 * (stored / (user + kernel) - 1));
	return 0;
}
