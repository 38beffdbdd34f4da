/* SPDX-License-Identifier: MIT
 *
 * machines.h - the kinds of programs that run on i386.
 */
#ifndef DWELL_ARCH_MACHINES_H
#define DWELL_ARCH_MACHINES_H

#include <elf.h>

#include "machine.h"

static const struct arch_machine arch_machines[] = {
	{ EM_386, ELFCLASS32, "i686", "/lib/ld-linux.so.2" },
};

#endif
