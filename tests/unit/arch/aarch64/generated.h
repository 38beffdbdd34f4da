/* SPDX-License-Identifier: MIT
 *
 * generated.h - a function as a JIT compiler might make it: it calls its argument, with a frame
 * pointer and without call frame information.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t generated[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };

#endif
