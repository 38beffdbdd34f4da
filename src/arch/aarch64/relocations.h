/* SPDX-License-Identifier: MIT
 *
 * relocations.h - the relocations of aarch64 that store the address of a function.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <stdbool.h>

#include "rela64.h"

/* The PLT's table also has descriptors of thread-local variables, R_AARCH64_TLSDESC, which are not
 * of functions. */
#define RELOCATION_OF_PLT  R_AARCH64_JUMP_SLOT
#define RELOCATION_OF_COPY R_AARCH64_COPY
#define RELOCATION_OF_BASE R_AARCH64_RELATIVE

/* Stores an offset from the thread pointer, which is fixed when the program starts. */
#define RELOCATION_OF_STATIC_TLS R_AARCH64_TLS_TPREL

/* Returns true for a whole address that is not in the PLT's table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}

/* Returns true if a function whose symbol has that st_other can be wrapped: not if it takes or
 * returns vectors longer than 128 bits, since the kernel discards the rest of them in every system
 * call. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	return !(other & STO_AARCH64_VARIANT_PCS);
}

/* Calls a resolver of functions that are chosen at load time, as the linker does. */
static inline void *relocation_resolve(void *resolver)
{
	return ((void *(*)(void))resolver)();
}

#endif
