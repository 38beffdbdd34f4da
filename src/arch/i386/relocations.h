/* SPDX-License-Identifier: MIT
 *
 * relocations.h - which relocations of i386 put the address of a function somewhere.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an auditor calls its function that is told of bindings. */
#define ARCH_LA_SYMBIND la_symbind32

typedef Elf32_Rel arch_relocation;

#define RELOCATION_TABLE      DT_REL
#define RELOCATION_TABLE_SIZE DT_RELSZ

#define RELOCATION_OF_PLT  R_386_JMP_SLOT
#define RELOCATION_OF_COPY R_386_COPY
#define RELOCATION_OF_BASE R_386_RELATIVE

/* A whole address, and not in the PLT's table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_386_GLOB_DAT || type == R_386_32;
}

static inline unsigned relocation_type(const arch_relocation *relocation)
{
	return ELF32_R_TYPE(relocation->r_info);
}

static inline size_t relocation_symbol(const arch_relocation *relocation)
{
	return ELF32_R_SYM(relocation->r_info);
}

static inline void relocation_set_type(arch_relocation *relocation, unsigned type)
{
	relocation->r_info = ELF32_R_INFO(ELF32_R_SYM(relocation->r_info), type);
}

/* What is added to the symbol's address. `place` is where the sum goes, which is not there yet: it
 * holds the addend. That of the PLT's kinds is none, whatever is there. */
static inline intptr_t relocation_addend(const arch_relocation *relocation, const void *place)
{
	return relocation_type(relocation) == R_386_32 ? *(const int32_t *)place : 0;
}

/* The same when the sum may be there already: then nobody knows it any more, and pointers to
 * somewhere inside of a function are unheard of. */
static inline intptr_t relocation_addend_after(const arch_relocation *relocation)
{
	(void)relocation;
	return 0;
}

/* What a relocation of RELOCATION_OF_BASE stores, in an object that is loaded at `base`, which is
 * higher than all offsets: before it is relocated, the place holds the offset. */
static inline uintptr_t relocation_based(const arch_relocation *relocation, uintptr_t base)
{
	uintptr_t stored = *(const uintptr_t *)(base + relocation->r_offset);

	return stored < base ? stored + base : stored;
}

/* Whether a function whose symbol has that st_other can be wrapped. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	(void)other;
	return true;
}

#endif
