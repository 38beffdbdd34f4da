/* SPDX-License-Identifier: MIT
 *
 * machines.h - the kinds of programs that run on x86-64.
 */
#ifndef DWELL_ARCH_MACHINES_H
#define DWELL_ARCH_MACHINES_H

#include <elf.h>

#include "machine.h"

/* Our own kind comes first. */
static const struct arch_machine arch_machines[] = {
	{ EM_X86_64, ELFCLASS64, "x86_64", "/lib64/ld-linux-x86-64.so.2" },
	{ EM_386, ELFCLASS32, "i686", "/lib/ld-linux.so.2" },
};

#endif
