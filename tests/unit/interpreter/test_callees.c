/* SPDX-License-Identifier: MIT
 *
 * test_callees.c - a large function is found by the calls that lead to it; and what only looks like
 * a call is not followed.
 */
#include "interpreter/callees.h"

#include "tap.h"

#ifdef __x86_64__

/* first() calls second(), that calls large(). */
void first(void);
void second(void);
void large(void);

__asm__(".text\n"
	"first: .cfi_startproc\n"
	"	mov $0xe8, %eax\n" /* looks like a call */
	"	call alone\n"
	"	call second\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"second: .cfi_startproc\n"
	"	call first\n" /* in a circle */
	"	call large\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"alone: .cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"large: .cfi_startproc\n"
	"	.skip 6000, 0x90\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"behind: .cfi_startproc\n"
	"	.skip 200, 0x90\n"
	"	.cfi_endproc\n");

static int visit(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct dynsym *symbols = argument;

	(void)size;
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			symbols->frames = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	return 1; /* the program itself is the first one */
}

int main(void)
{
	static const uint32_t damaged[3] = { 2, 0, 1 };
	struct peek peek = { 0 };
	struct dynsym symbols = { .peek = &peek };
	uintptr_t end = 0;

	dl_iterate_phdr(visit, &symbols);
	ok(callees_find(&symbols, (uintptr_t)second, 5000, 0, &end) == (uintptr_t)large &&
		   end == (uintptr_t)large + 6001,
	   "a large function that is called, and its end");
	ok(callees_find(&symbols, (uintptr_t)first, 5000, 1, &end) == (uintptr_t)large,
	   "through another one");
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 0, &end), "unless that is too far");
	ok(!callees_find(&symbols, (uintptr_t)first, 50000, 5, &end), "nothing is large enough");
	ok(!callees_find(&symbols, (uintptr_t)first + 1, 5000, 1, &end),
	   "an address inside of a function is not one");
	ok(callees_starts(&symbols, (uintptr_t)first, (const char *const[]){ "\xb8\xe8", "\xe8" },
			  2) &&
		   !callees_starts(&symbols, (uintptr_t)first,
				   (const char *const[]){ "\xe8", "\xb8" }, 2) &&
		   !callees_starts(&symbols, 0, (const char *const[]){ "\x90" }, 1),
	   "instructions at its start, in their order");
	symbols.frames = (uintptr_t)damaged;
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 1, &end), "an index of another form");
	symbols.frames = 0;
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 1, &end), "without an index");
	return tap_done();
}

#else

int main(void)
{
	skip("functions by their calls", "calls of x86-64 alone are known");
	return tap_done();
}

#endif
