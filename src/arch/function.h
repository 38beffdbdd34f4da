/* SPDX-License-Identifier: MIT
 *
 * function.h - macros of assembly that begin and end a function called by our other files.
 */
#ifndef DWELL_ARCH_FUNCTION_H
#define DWELL_ARCH_FUNCTION_H

/* clang-format off */
#define FUNCTION(name) .globl name; .hidden name; .type name, %function; name:
#define FUNCTION_END(name) .size name, . - name
/* clang-format on */

#endif
