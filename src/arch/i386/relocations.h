/* SPDX-License-Identifier: MIT
 *
 * relocations.h - the relocations of i386 that store the address of a function.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Name of an auditor's callback for bindings. */
#define ARCH_LA_SYMBIND la_symbind32

typedef Elf32_Rel arch_relocation;

#define RELOCATION_TABLE      DT_REL
#define RELOCATION_TABLE_SIZE DT_RELSZ

#define RELOCATION_OF_PLT  R_386_JMP_SLOT
#define RELOCATION_OF_COPY R_386_COPY
#define RELOCATION_OF_BASE R_386_RELATIVE

/* Stores an offset from the thread pointer, which is fixed when the program starts. */
#define RELOCATION_OF_STATIC_TLS R_386_TLS_TPOFF

/* Returns true for a whole address that is not in the PLT's table. */
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

/* Returns the addend of the symbol's address. `place` is where the sum goes; it holds the addend
 * until then. The PLT's kinds have none, whatever the place holds. */
static inline intptr_t relocation_addend(const arch_relocation *relocation, const void *place)
{
	return relocation_type(relocation) == R_386_32 ? *(const int32_t *)place : 0;
}

/* Returns the same when the sum may be stored already. The addend is lost then, and pointers into
 * the middle of a function do not occur in practice. */
static inline intptr_t relocation_addend_after(const arch_relocation *relocation)
{
	(void)relocation;
	return 0;
}

/* Returns what a relocation of RELOCATION_OF_BASE stores, in an object loaded at `base`, which is
 * higher than all offsets: before relocation, the place holds the offset. */
static inline uintptr_t relocation_based(const arch_relocation *relocation, uintptr_t base)
{
	uintptr_t stored = *(const uintptr_t *)(base + relocation->r_offset);

	return stored < base ? stored + base : stored;
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
