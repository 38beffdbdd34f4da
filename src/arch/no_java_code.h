/* SPDX-License-Identifier: MIT
 *
 * no_java_code.h - the java_code.h of CPUs whose code of HotSpot is not read: methods of Java are
 * recorded natively, and none of this is called.
 */
#ifndef DWELL_ARCH_NO_JAVA_CODE_H
#define DWELL_ARCH_NO_JAVA_CODE_H

#include "java_callers.h"

#define ARCH_MADE_CODE     0
#define ARCH_MADE_SENDER   0
#define ARCH_MADE_METHOD   0
#define ARCH_MADE_BCP      0
#define ARCH_MADE_BCP_HELD 0

static inline bool arch_made_behind_call(const struct arch_made *at, uintptr_t pc)
{
	(void)at;
	(void)pc;
	return false;
}

static inline bool arch_made_entry(const struct arch_made *at, uintptr_t start, uintptr_t end,
				   struct arch_callers *to)
{
	(void)at;
	(void)start;
	(void)end;
	(void)to;
	return true;
}

static inline bool arch_made_nothing(const struct arch_made *at, struct arch_callers *to)
{
	(void)at;
	(void)to;
	return true;
}

static inline void arch_made_stub(const struct arch_made *at, bool replaces,
				  struct arch_callers *to)
{
	(void)at;
	(void)replaces;
	(void)to;
}

#define arch_made_adapter   arch_made_nothing
#define arch_made_exit      arch_made_nothing
#define arch_made_frameless arch_made_nothing
#define arch_made_handler   arch_made_nothing
#define arch_made_leap      arch_made_nothing
#define arch_made_method    arch_made_nothing
#define arch_made_routine   arch_made_nothing

#endif
