/* SPDX-License-Identifier: MIT
 *
 * machines.h - the kinds of programs that run on aarch64.
 */
#ifndef DWELL_ARCH_MACHINES_H
#define DWELL_ARCH_MACHINES_H

#include <elf.h>

#include "machine.h"

static const struct arch_machine arch_machines[] = {
	{ EM_AARCH64, ELFCLASS64, "aarch64", "/lib/ld-linux-aarch64.so.1" },
};

#endif
