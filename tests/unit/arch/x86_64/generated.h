/* SPDX-License-Identifier: MIT
 *
 * generated.h - a function as a JIT compiler might make it: it calls its argument, with a frame
 * pointer and without call frame information.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t generated[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

#endif
