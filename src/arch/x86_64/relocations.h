/* SPDX-License-Identifier: MIT
 *
 * relocations.h - the relocations of x86-64 that store the address of a function.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <stdbool.h>

#include "rela64.h"

#define RELOCATION_OF_PLT  R_X86_64_JUMP_SLOT
#define RELOCATION_OF_COPY R_X86_64_COPY
#define RELOCATION_OF_BASE R_X86_64_RELATIVE

/* Stores an offset from the thread pointer, which is fixed when the program starts. */
#define RELOCATION_OF_STATIC_TLS R_X86_64_TPOFF64

/* Returns true for a whole address that is not in the PLT's table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
}

/* Returns true if a function whose symbol has that st_other can be wrapped. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	(void)other;
	return true;
}

/* Calls a resolver of functions that are chosen at load time, as the linker does. */
static inline void *relocation_resolve(void *resolver)
{
	return ((void *(*)(void))resolver)();
}

#endif
