/* SPDX-License-Identifier: MIT
 *
 * relocations.h - the relocations of riscv64 that store the address of a function.
 */
#ifndef DWELL_ARCH_RELOCATIONS_H
#define DWELL_ARCH_RELOCATIONS_H

#include <stdbool.h>
#include <sys/auxv.h>

#include "rela64.h"
#include "syscall.h"

#define RELOCATION_OF_PLT  R_RISCV_JUMP_SLOT
#define RELOCATION_OF_COPY R_RISCV_COPY
#define RELOCATION_OF_BASE R_RISCV_RELATIVE

#define RELOCATION_OF_STATIC_TLS R_RISCV_TLS_TPREL64

#ifndef STO_RISCV_VARIANT_CC
#define STO_RISCV_VARIANT_CC 0x80 /* not every <elf.h> names it */
#endif

/* Returns true for a whole address that is not in the PLT's table. There is no other type for those
 * of the global offset table. */
static inline bool relocation_stores_address(unsigned type)
{
	return type == R_RISCV_64;
}

/* Returns true if a function whose symbol has that st_other can be wrapped: not if it takes or
 * returns vectors, since the kernel discards them in every system call. */
static inline bool relocation_can_be_wrapped(unsigned char other)
{
	return !(other & STO_RISCV_VARIANT_CC);
}

/* The kernel's riscv_hwprobe(). Returns an error number, as glibc's does. */
static inline int relocation_probe(void *pairs, size_t pair_count, size_t cpu_count,
				   unsigned long *cpus, unsigned flags)
{
	const long riscv_hwprobe = 258; /* not all headers name it */

	return (int)-arch_syscall(riscv_hwprobe, (long)pairs, (long)pair_count, (long)cpu_count,
				  (long)cpus, flags, 0);
}

/* Calls a resolver of functions that are chosen at load time, as the linker does: with a function
 * that asks for the CPU's extensions. */
static inline void *relocation_resolve(void *resolver)
{
	return ((void *(*)(uint64_t, int (*)(void *, size_t, size_t, unsigned long *, unsigned),
			   void *))resolver)(getauxval(AT_HWCAP), relocation_probe, NULL);
}

#endif
