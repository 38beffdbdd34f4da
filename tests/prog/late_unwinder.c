/* SPDX-License-Identifier: MIT
 *
 * late_unwinder.c - a program that opens its unwinder at the first walk of a stack, for tests that
 * attach to it before. Reads lines, and prints one for each:
 *
 *	walk N	N faults at the first instruction of a function, each with a walk of the stack by
 *		backtrace()	walked FOUND: how many have found the function's caller
 *	has 0	number of unwinders that are loaded	has N
 *	ours 0	number of entries of their tables that lead to a library of dwell	ours N
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

static sigjmp_buf before;
static long found;

/* Its first instruction reads the number. */
APART static int late_faults(const volatile int *number)
{
	int read = *number;

	__asm__ volatile("" : "+r"(read));
	return read + 1;
}

/* No other code is within 64 bytes. */
APART __attribute__((aligned(64))) static int late_calls_fault(const int *number)
{
	int read = late_faults(number);

	__asm__ volatile("" : "+r"(read));
	return read + 1;
}

APART __attribute__((aligned(64))) static bool finds_caller(void)
{
	void *frames[32];
	int count = backtrace(frames, 32);

	for (int i = 0; i < count; i++)
		if ((char *)frames[i] > (char *)late_calls_fault &&
		    (char *)frames[i] < (char *)late_calls_fault + 64)
			return true;
	return false;
}

static void on_fault(int number)
{
	(void)number;
	found += finds_caller();
	siglongjmp(before, 1);
}

static void walk(long number)
{
	const int *volatile nothing = NULL;

	found = 0;
	for (volatile long i = 0; i < number; i++)
		if (sigsetjmp(before, 1) == 0)
			late_calls_fault(nothing);
	printf("walked %ld\n", found);
}

static bool is_ours(const void *function)
{
	Dl_info info;

	return dladdr(function, &info) && strstr(info.dli_fname, "libdwell");
}

/* Returns the number of entries of an object's PLT that lead to a library of dwell. */
static long ours_in(const struct link_map *map)
{
	const ElfW(Rela) *table = NULL;
	size_t size = 0;
	long count = 0;

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_JMPREL)
			table = (const ElfW(Rela) *)entry->d_un.d_ptr;
		if (entry->d_tag == DT_PLTRELSZ)
			size = entry->d_un.d_val;
	}
	for (size_t i = 0; table && i < size / sizeof(*table); i++)
		count += is_ours(*(void **)(map->l_addr + table[i].r_offset));
	return count;
}

static void look(const char *word)
{
	struct link_map *map = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);

	printf("%s %ld\n", word, !map ? 0 : word[0] == 'h' ? 1 : ours_in(map));
	if (map)
		dlclose(map);
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_fault };
	char line[100];

	sigaction(SIGSEGV, &action, NULL);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin) && strchr(line, ' ')) {
		long number = strtol(strchr(line, ' '), NULL, 10);

		if (line[0] == 'w')
			walk(number);
		else
			look(line[0] == 'h' ? "has" : "ours");
		fflush(stdout);
	}
	return 0;
}
