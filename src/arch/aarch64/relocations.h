/* SPDX-License-Identifier: MIT
 *
 * relocations.h - which relocations of aarch64 put the address of a function somewhere.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an auditor calls its function that is told of bindings. */
#define ARCH_LA_SYMBIND la_symbind64

typedef Elf64_Rela arch_relocation;

#define RELOCATION_TABLE      DT_RELA
#define RELOCATION_TABLE_SIZE DT_RELASZ

/* The PLT's table has descriptors of thread-local variables as well, R_AARCH64_TLSDESC: they are of
 * no function. */
#define RELOCATION_OF_PLT  R_AARCH64_JUMP_SLOT
#define RELOCATION_OF_COPY R_AARCH64_COPY

/* A whole address, and not in the PLT's table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_AARCH64_GLOB_DAT || type == R_AARCH64_ABS64;
}

static inline unsigned relocation_type(const arch_relocation *relocation)
{
	return ELF64_R_TYPE(relocation->r_info);
}

static inline size_t relocation_symbol(const arch_relocation *relocation)
{
	return ELF64_R_SYM(relocation->r_info);
}

static inline void relocation_set_type(arch_relocation *relocation, unsigned type)
{
	relocation->r_info = ELF64_R_INFO(ELF64_R_SYM(relocation->r_info), type);
}

/* What is added to the symbol's address. `place` is where the sum goes, which is not there yet. */
static inline intptr_t relocation_addend(const arch_relocation *relocation, const void *place)
{
	(void)place;
	return relocation->r_addend;
}

/* The same when the sum may be there already. */
static inline intptr_t relocation_addend_after(const arch_relocation *relocation)
{
	return relocation->r_addend;
}

/* Whether a function whose symbol has that st_other can be wrapped: not if it takes or returns
 * vectors that are longer than 128 bits, since the kernel forgets the rest of them in every system
 * call. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	return !(other & STO_AARCH64_VARIANT_PCS);
}

#endif
