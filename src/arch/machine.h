/* SPDX-License-Identifier: MIT
 *
 * machine.h - a kind of program that a CPU runs. src/arch/NAME/machines.h lists them.
 */
#ifndef DWELL_ARCH_MACHINE_H
#define DWELL_ARCH_MACHINE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

struct arch_machine {
	uint16_t machine;     /* EM_* */
	uint8_t elf_class;    /* ELFCLASS* */
	const char *platform; /* value of $PLATFORM: see ld.so(8) */
	const char *linker;   /* its linker, for libraries that name none */
	bool is_nameless;     /* the kernel passes no AT_PLATFORM, so $PLATFORM has no value */
};

/* All machines that our libraries can be built for: an emulator may run others than this machine
 * does. */
static const struct arch_machine arch_all_machines[] = {
	{ EM_X86_64, ELFCLASS64, "x86_64", "/lib64/ld-linux-x86-64.so.2" },
	{ EM_386, ELFCLASS32, "i686", "/lib/ld-linux.so.2" },
	{ EM_AARCH64, ELFCLASS64, "aarch64", "/lib/ld-linux-aarch64.so.1" },
	{ EM_RISCV, ELFCLASS64, "riscv64", "/lib/ld-linux-riscv64-lp64d.so.1", true },
};

#endif
