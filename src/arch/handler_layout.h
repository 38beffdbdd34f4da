/* SPDX-License-Identifier: MIT
 *
 * handler_layout.h - the layout of runtime/sampler/handler_stacks.c, which handler.S and C must
 * agree on. Plain numbers, for the assembler.
 */
#ifndef DWELL_ARCH_HANDLER_LAYOUT_H
#define DWELL_ARCH_HANDLER_LAYOUT_H

#define HANDLER_STACK_BYTES 32768 /* from one stack's word to the next */

#endif
