/* SPDX-License-Identifier: MIT
 *
 * function.h - for assembly: what begins and ends a function that other files of ours call.
 */
#ifndef DWELL_ARCH_FUNCTION_H
#define DWELL_ARCH_FUNCTION_H

/* clang-format off */
#define FUNCTION(name) .globl name; .hidden name; .type name, %function; name:
#define FUNCTION_END(name) .size name, . - name
/* clang-format on */

#endif
