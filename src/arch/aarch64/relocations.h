/* SPDX-License-Identifier: MIT
 *
 * relocations.h - which relocations of aarch64 put the address of a function somewhere.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <stdbool.h>

#include "rela64.h"

/* The PLT's table has descriptors of thread-local variables as well, R_AARCH64_TLSDESC: they are of
 * no function. */
#define RELOCATION_OF_PLT  R_AARCH64_JUMP_SLOT
#define RELOCATION_OF_COPY R_AARCH64_COPY
#define RELOCATION_OF_BASE R_AARCH64_RELATIVE

/* A whole address, and not in the PLT's table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}

/* Whether a function whose symbol has that st_other can be wrapped: not if it takes or returns
 * vectors that are longer than 128 bits, since the kernel forgets the rest of them in every system
 * call. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	return !(other & STO_AARCH64_VARIANT_PCS);
}

#endif
