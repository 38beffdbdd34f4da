/* SPDX-License-Identifier: MIT
 *
 * patch.h - x86-64 facts about jumps at entries of functions: see entry.h.
 */
#ifndef DWELL_ARCH_PATCH_H
#define DWELL_ARCH_PATCH_H

#include <elf.h>

#define ARCH_ENTRY_MACHINE EM_X86_64
#define ARCH_ENTRY_JUMP    5
#define ARCH_ENTRY_FIXED   7
#define ARCH_ENTRY_ROOM    64
#define ARCH_ENTRY_PIECES  7
#define ARCH_ENTRY_COPY    80
#define ARCH_ENTRY_REACH   0x60000000
#define ARCH_ENTRY_PAGE    4096
#define ARCH_ENTRY_LOW     0x80000000

/* DWARF: the CFA at an entry is rsp + 8. */
#define ARCH_ENTRY_CFA_REGISTER 7
#define ARCH_ENTRY_CFA_OFFSET   8
#define ARCH_ENTRY_WORD         8
#define ARCH_ENTRY_SIGNS_CFA    0 /* return addresses are never signed */
#define ARCH_GATE_UNSIGNED      0

#define ARCH_GATE_BYTES 144

#endif
