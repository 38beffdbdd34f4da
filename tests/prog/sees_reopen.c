/* SPDX-License-Identifier: MIT
 *
 * sees_reopen.c CYCLES - opens, calls and closes two libraries in turns, that many times each: at
 * the address they had, at the address the other one had, and at others, because something else is
 * mapped there meanwhile. Tells whether the process grew.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sees.h"
#include "sees_side.h"

#define SPAN        4096 /* a page of its place being taken, a library goes elsewhere */
#define GROWN_PAGES 64

struct library {
	const char *name;
	const char *side;
	uintptr_t base;
};

static unsigned long same_base, other_base, wrong;

/* Returns the pages of all mappings. */
static long mapped(void)
{
	FILE *file = fopen("/proc/self/maps", "re");
	unsigned long bytes = 0, start, end;
	char line[4096];

	if (!file)
		printf("no maps\n");
	while (file && fgets(line, sizeof(line), file))
		if (!strstr(line, "[vsyscall]") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			bytes += end - start;
	if (file)
		fclose(file);
	return (long)(bytes / (unsigned long)sysconf(_SC_PAGESIZE));
}

/* Field 0 is the size of the address space, 1 what is resident, in pages. */
static long statm(int field)
{
	long pages[2] = { 0 };
	FILE *file = fopen("/proc/self/statm", "re");

	if (!file || fscanf(file, "%ld %ld", &pages[0], &pages[1]) != 2)
		printf("no statm\n");
	if (file)
		fclose(file);
	return pages[field];
}

static void cycle(struct library *library, int how)
{
	void *handle = dlopen(library->name, how | RTLD_LOCAL);
	const char *(*side)(void), *(*call_side)(void);
	struct link_map *map;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0) {
		printf("cannot open: %s\n", dlerror());
		exit(1);
	}
	side = (const char *(*)(void))dlsym(handle, "sees_side");
	call_side = (const char *(*)(void))dlsym(handle, "sees_call_side");
	wrong += strcmp(side(), library->side) != 0;
	wrong += strcmp(call_side(), library->side) != 0;
	if (library->base == (uintptr_t)map->l_addr)
		same_base++;
	else if (library->base)
		other_base++;
	library->base = (uintptr_t)map->l_addr;
	dlclose(handle);
}

/* Maps memory where the library was, so that nothing else is loaded there. */
static void *block(const struct library *library)
{
	void *at = mmap((void *)library->base, SPAN, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	return at == MAP_FAILED ? NULL : at;
}

/* Prints whether resident memory grew. Under an emulator, statm contains the emulator's own memory,
 * which grows with the code that it translates; then it has more pages than the program's maps. */
static void print_resident(long before)
{
	if (statm(0) - mapped() > GROWN_PAGES)
		printf("resident: unknown, together with an emulator's\n");
	else
		printf("resident: %s\n", statm(1) - before > GROWN_PAGES ? "grew" : "did not grow");
}

int main(int argc, char **argv)
{
	int cycles = argc > 1 ? atoi(argv[1]) : 1000;
	struct library left = { .name = "libsees_left.so", .side = "left" };
	struct library right = { .name = "libsees_right.so", .side = "right" };
	unsigned long enough = (unsigned long)cycles / 10;
	long size = 0, resident = 0;

	for (int i = 0; i < cycles; i++) {
		int how = i % 3 ? RTLD_NOW : RTLD_LAZY;
		void *in_the_way = NULL;

		cycle(&left, how);
		if (i % 2)
			in_the_way = block(&left);
		cycle(&right, how);
		if (in_the_way)
			munmap(in_the_way, SPAN);
		/* By then nothing may grow any more. */
		if (i == cycles / 10) {
			size = mapped();
			resident = statm(1);
		}
	}
	printf("wrong %lu\n", wrong);
	printf("at the same address: %s\n", same_base > enough ? "often" : "seldom");
	printf("at another address: %s\n", other_base > enough ? "often" : "seldom");
	printf("address space: %s\n", mapped() - size > GROWN_PAGES ? "grew" : "did not grow");
	print_resident(resident);
	expect("sees_side", "libsees_left.so", 2UL * (unsigned long)cycles);
	expect("sees_call_side", "libsees_left.so", (unsigned long)cycles);
	expect("sees_side", "libsees_right.so", 2UL * (unsigned long)cycles);
	expect("sees_call_side", "libsees_right.so", (unsigned long)cycles);
	return 0;
}
