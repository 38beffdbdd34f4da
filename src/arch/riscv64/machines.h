/* SPDX-License-Identifier: MIT
 *
 * machines.h - the kinds of programs that run on riscv64.
 */
#ifndef DWELL_ARCH_MACHINES_H
#define DWELL_ARCH_MACHINES_H

#include <elf.h>

#include "machine.h"

static const struct arch_machine arch_machines[] = {
	{ EM_RISCV, ELFCLASS64, "riscv64", "/lib/ld-linux-riscv64-lp64d.so.1", true },
};

#endif
