/* SPDX-License-Identifier: MIT
 *
 * generated.h - what a compiler at run time might make for a function that calls the one it is
 * given, with a frame pointer and with nothing that describes it.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const uint32_t generated[] = { 0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0 };

#endif
