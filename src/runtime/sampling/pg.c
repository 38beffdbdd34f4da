/* SPDX-License-Identifier: MIT
 *
 * pg.c - replaces gprof's runtime, for programs linked with -pg: calls and ticks go to the
 * recording, from beginning to end, and there is no gmon.out. If nothing is sampled, libc's runtime
 * works as without us.
 */
#include "pg.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "runtime/gmon/arcs.h"

void __monstartup(uintptr_t low, uintptr_t high);
void monstartup(uintptr_t low, uintptr_t high);
void moncontrol(int mode);
void _mcleanup(void);

static bool is_libcs;

/* All NULL: nothing to do. */
static struct {
	void (*monstartup)(uintptr_t, uintptr_t);
	void (*moncontrol)(int);
	void (*mcleanup)(void);
} libc;

/*
 * Directs calls to libc. Not every libc contains gprof's runtime, and dlsym() allocates memory for
 * its error message: the rest is looked up when a program with -pg starts.
 */
void pg_leave_to_libc(void)
{
	is_libcs = true;
#ifdef __GLIBC__
	INTERPOSE_FIND(arcs_mcount_next, "_mcount");
#endif
}

static void find_libc(void)
{
	if (!is_libcs || libc.monstartup)
		return;
	INTERPOSE_FIND(arcs_fentry_next, "__fentry__");
	INTERPOSE_FIND(libc.moncontrol, "moncontrol");
	INTERPOSE_FIND(libc.mcleanup, "_mcleanup");
	INTERPOSE_FIND(libc.monstartup, "__monstartup");
}

EXPORT void __monstartup(uintptr_t low, uintptr_t high)
{
	find_libc();
	if (libc.monstartup)
		libc.monstartup(low, high);
}

EXPORT void monstartup(uintptr_t low, uintptr_t high) __attribute__((alias("__monstartup")));

EXPORT void moncontrol(int mode)
{
	find_libc();
	if (libc.moncontrol)
		libc.moncontrol(mode);
}

EXPORT void _mcleanup(void)
{
	find_libc();
	if (libc.mcleanup)
		libc.mcleanup();
}
