/* SPDX-License-Identifier: MIT
 *
 * patch.h - aarch64 facts about jumps at entries of functions: see entry.h.
 */
#ifndef DWELL_ARCH_PATCH_H
#define DWELL_ARCH_PATCH_H

#include <elf.h>

#define ARCH_ENTRY_MACHINE EM_AARCH64
#define ARCH_ENTRY_JUMP    4  /* b */
#define ARCH_ENTRY_FIXED   16 /* movz, movk, movk, br */
#define ARCH_ENTRY_ROOM    96
#define ARCH_ENTRY_PIECES  5         /* paciasp, which stays as well, and four more */
#define ARCH_ENTRY_COPY    64        /* three instructions for each, and b */
#define ARCH_ENTRY_REACH   0x8000000 /* of b */
#define ARCH_ENTRY_PAGE    65536     /* kernels have pages of 4, 16 or 64 KB */
#define ARCH_ENTRY_LOW     0

/* DWARF: the CFA at an entry is sp. */
#define ARCH_ENTRY_CFA_REGISTER 31
#define ARCH_ENTRY_CFA_OFFSET   0
#define ARCH_ENTRY_WORD         8
#define ARCH_ENTRY_SIGNS_CFA    0x2d /* DW_CFA_AARCH64_negate_ra_state */
#define ARCH_GATE_UNSIGNED      4    /* behind autiasp */

#define ARCH_GATE_BYTES 24

#endif
