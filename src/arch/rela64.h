/* SPDX-License-Identifier: MIT
 *
 * rela64.h - relocations with an addend of their own, as the CPUs of 64 bits have them: what
 * relocations.h of each such CPU is made of, beside its numbers.
 */
#ifndef DWELL_ARCH_RELA64_H
#define DWELL_ARCH_RELA64_H

#include <link.h>
#include <stddef.h>
#include <stdint.h>

/* What an auditor calls its function that is told of bindings. */
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

/* What is added to the symbol's address. `place` is where the sum goes, which is not there yet. */
static inline intptr_t relocation_addend(const arch_relocation *relocation, const void *place)
{
	(void)place;
	return relocation->r_addend;
}

/* What a relocation of RELOCATION_OF_BASE stores, in an object that is loaded at `base`. */
static inline uintptr_t relocation_based(const arch_relocation *relocation, uintptr_t base)
{
	return base + (uintptr_t)relocation->r_addend;
}

/* The same when the sum may be there already. */
static inline intptr_t relocation_addend_after(const arch_relocation *relocation)
{
	return relocation->r_addend;
}

#endif
