/* SPDX-License-Identifier: MIT
 *
 * generated.h - what a compiler at run time might make for a function that calls the one it is
 * given, with a frame pointer and with nothing that describes it.
 */
#ifndef TESTS_ARCH_GENERATED_H
#define TESTS_ARCH_GENERATED_H

#include <stdint.h>

/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const uint8_t generated[] = { 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3 };

#endif
