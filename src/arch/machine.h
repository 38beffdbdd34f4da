/* SPDX-License-Identifier: MIT
 *
 * machine.h - a kind of program that a CPU runs. src/arch/NAME/machines.h lists them.
 */
#ifndef DWELL_ARCH_MACHINE_H
#define DWELL_ARCH_MACHINE_H

#include <stdint.h>

struct arch_machine {
	uint16_t machine;     /* EM_* */
	uint8_t elf_class;    /* ELFCLASS* */
	const char *platform; /* what the linker puts for $PLATFORM: see ld.so(8) */
	const char *linker;   /* which that is, for libraries that name none */
};

#endif
