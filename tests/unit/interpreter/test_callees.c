/* SPDX-License-Identifier: MIT
 *
 * test_callees.c - a large function is found by the calls that lead to it; and what only looks like
 * a call is not followed.
 */
#include "interpreter/callees.h"

#include <string.h>

#include "tap.h"

#ifdef __x86_64__
#define CALL      "call "
#define NOP_BYTES 1
#define NOPS_6000 ".rept 6000\nnop\n.endr\n"
#define SEEMING   "mov $0xe8, %eax\n" /* looks like a call */
/* Two instructions of first(), or parts of them, in their order. */
#define EARLY_BYTES 2
#define EARLY       0xb8, 0xe8
#define LATE_BYTES  1
#define LATE        0xe8
#elif defined(__aarch64__)
#define CALL        "bl "
#define NOP_BYTES   4
#define NOPS_6000   ".rept 1500\nnop\n.endr\n"
#define SEEMING     "b alone\n"
#define EARLY_BYTES 4
#define EARLY       0x07, 0x00, 0x00, 0x14 /* b alone */
#define LATE_BYTES  4
#define LATE        0x02, 0x00, 0x00, 0x94 /* bl second */
#endif

#ifdef CALL

/* first() calls second(), that calls large(). */
void first(void);
void second(void);
void large(void);

__asm__(".text\n"
	".globl first, second, large\n"
	"first: .cfi_startproc\n" SEEMING CALL "alone\n" CALL "second\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"second: .cfi_startproc\n" CALL "first\n" /* in a circle */
	CALL "large\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"alone: .cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"large: .cfi_startproc\n" NOPS_6000 "	ret\n"
	"	.cfi_endproc\n"
	"behind: .cfi_startproc\n"
	"	.rept 200\nnop\n.endr\n"
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

static const struct arch_held in_order = { .takes = { { EARLY_BYTES, { EARLY } },
						      { LATE_BYTES, { LATE } } } },
			      reversed = { .takes = { { LATE_BYTES, { LATE } },
						      { EARLY_BYTES, { EARLY } } } },
			      unknown = { .registers = { 1 } };

int main(void)
{
	static const uint32_t damaged[3] = { 2, 0, 1 };
	struct peek peek = { 0 };
	struct dynsym symbols = { .peek = &peek };
	uintptr_t end = 0;
	uint8_t code[ARCH_HELD_BYTES];

	dl_iterate_phdr(visit, &symbols);
	ok(callees_find(&symbols, (uintptr_t)second, 5000, 0, &end) == (uintptr_t)large &&
		   end == (uintptr_t)large + 6000 + NOP_BYTES,
	   "a large function that is called, and its end");
	ok(callees_find(&symbols, (uintptr_t)first, 5000, 1, &end) == (uintptr_t)large,
	   "through another one");
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 0, &end), "unless that is too far");
	ok(!callees_find(&symbols, (uintptr_t)first, 50000, 5, &end), "nothing is large enough");
	ok(!callees_find(&symbols, (uintptr_t)first + 1, 5000, 1, &end),
	   "an address inside of a function is not one");
	ok(callees_holds(&symbols, (uintptr_t)first, &in_order, code) &&
		   memcmp(code, (const void *)(uintptr_t)first, sizeof(code)) == 0 &&
		   !callees_holds(&symbols, (uintptr_t)first, &reversed, code) &&
		   !callees_holds(&symbols, 0, &in_order, code),
	   "instructions at its start, in their order");
	ok(!callees_holds(&symbols, (uintptr_t)first, &unknown, code),
	   "a function that is not known on this CPU");
	symbols.frames = (uintptr_t)damaged;
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 1, &end), "an index of another form");
	symbols.frames = 0;
	ok(!callees_find(&symbols, (uintptr_t)first, 5000, 1, &end), "without an index");
	return tap_done();
}

#else

int main(void)
{
	skip("functions by their calls", "this test has no code for this CPU");
	return tap_done();
}

#endif
