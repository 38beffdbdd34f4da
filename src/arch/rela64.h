/* SPDX-License-Identifier: MIT
 *
 * rela64.h - relocations with an explicit addend, as on 64-bit CPUs: the common part of their
 * relocations.h, beside the numbers.
 */
#ifndef DWELL_ARCH_RELA64_H
#define DWELL_ARCH_RELA64_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* Name of an auditor's callback for bindings. */
#define ARCH_LA_SYMBIND la_symbind64

typedef Elf64_Rela arch_relocation;

#define RELOCATION_TABLE      DT_RELA
#define RELOCATION_TABLE_SIZE DT_RELASZ

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

/* Returns the addend of the symbol's address. `place` is where the sum goes; it is not stored
 * yet. */
static inline intptr_t relocation_addend(const arch_relocation *relocation, const void *place)
{
	(void)place;
	return relocation->r_addend;
}

/* Returns what a relocation of RELOCATION_OF_BASE stores, in an object loaded at `base`. */
static inline uintptr_t relocation_based(const arch_relocation *relocation, uintptr_t base)
{
	return base + (uintptr_t)relocation->r_addend;
}

/* Returns the same when the sum may be stored already. */
static inline intptr_t relocation_addend_after(const arch_relocation *relocation)
{
	return relocation->r_addend;
}

#endif
