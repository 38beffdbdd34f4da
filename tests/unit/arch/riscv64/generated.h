/* SPDX-License-Identifier: MIT
 *
 * generated.h - a function as a JIT compiler might make it: it calls its argument, with a frame
 * pointer and without call frame information.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* addi sp, sp, -16; sd ra, 8(sp); sd s0, 0(sp); addi s0, sp, 16; jalr a0; ld ra, 8(sp);
 * ld s0, 0(sp); addi sp, sp, 16; ret */
static const uint32_t generated[] = { 0xff010113, 0x00113423, 0x00813023, 0x01010413, 0x000500e7,
				      0x00813083, 0x00013403, 0x01010113, 0x00008067 };

#endif
