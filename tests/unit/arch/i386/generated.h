/* SPDX-License-Identifier: MIT
 *
 * generated.h - a function as a JIT compiler might make it: it calls its argument, with a frame
 * pointer and without call frame information.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* push %ebp; mov %esp, %ebp; sub $8, %esp; call *8(%ebp); leave; ret */
static const uint8_t generated[] = { 0x55, 0x89, 0xe5, 0x83, 0xec, 0x08,
				     0xff, 0x55, 0x08, 0xc9, 0xc3 };

#endif
