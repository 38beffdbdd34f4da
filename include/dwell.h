/* SPDX-License-Identifier: MIT
 *
 * dwell.h - names the parts of a program, for `dwell record`: see dwell.h(3).
 *
 *	#include <dwell.h>
 *
 *	dwell_region_begin("parse");
 *	parse(file);
 *	dwell_region_end("parse");
 *
 * The program needs no library for that, and no dwell. Without one that records, a call loads a
 * pointer and compares it with NULL. Both functions may be called in signal handlers.
 */
#ifndef DWELL_H
#define DWELL_H

#ifdef __cplusplus
extern "C" {
#endif

/* The functions of dwell's library in a process that it records. */
struct dwell_regions {
	void (*begin)(const char *name);
	void (*end)(const char *name);
};

#if defined(__ELF__) && (defined(__GNUC__) || defined(__clang__))

#define DWELL_REGION_FUNCTION static __inline__ __attribute__((__unused__))

/* Undefined in all other processes, and then NULL. */
extern const struct dwell_regions dwell_regions_1
	__attribute__((__weak__, __visibility__("default")));

/* In code of fixed addresses, compilers for these CPUs would let the linker decide that it is NULL.
 * By the global offset table, the dynamic linker decides. */
#if defined(__x86_64__) && !defined(__ILP32__)
#define DWELL_REGION_LOAD "movq dwell_regions_1@GOTPCREL(%%rip), %0"
#elif defined(__riscv)
#define DWELL_REGION_LOAD ".option push\n\t.option pic\n\tla %0, dwell_regions_1\n\t.option pop"
#endif

DWELL_REGION_FUNCTION const struct dwell_regions *dwell_regions_here(void)
{
	const struct dwell_regions *here;

#if defined(DWELL_REGION_LOAD) && !defined(__PIC__)
	__asm__(".weak dwell_regions_1\n\t" DWELL_REGION_LOAD : "=r"(here));
#else
	here = &dwell_regions_1;
#endif
	return here;
}

/* Begins a region of the calling thread: its samples belong to the region up to the end. Regions
 * nest. The name is copied, up to 63 bytes. */
DWELL_REGION_FUNCTION void dwell_region_begin(const char *name)
{
	const struct dwell_regions *here = dwell_regions_here();

	if (__builtin_expect(here != 0, 0))
		here->begin(name);
}

/* Ends the innermost region of that name, with all that were begun in it since; NULL: the innermost
 * region. A thread without such a region is left as it is. */
DWELL_REGION_FUNCTION void dwell_region_end(const char *name)
{
	const struct dwell_regions *here = dwell_regions_here();

	if (__builtin_expect(here != 0, 0))
		here->end(name);
}

#undef DWELL_REGION_FUNCTION
#undef DWELL_REGION_LOAD

#else /* not for Linux */

static void dwell_region_begin(const char *name)
{
	(void)name;
}

static void dwell_region_end(const char *name)
{
	(void)name;
}

#endif

#ifdef __cplusplus
}
#endif

#endif
