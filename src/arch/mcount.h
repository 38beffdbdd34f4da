/* SPDX-License-Identifier: MIT
 *
 * mcount.h - the part of a CPU's contract that counts calls of functions built with -pg.
 * src/arch/NAME/ provides:
 *
 *   mcount.S   mcount, _mcount and __fentry__, as far as compilers call them there: each finds
 *              the call site and the function, and counts the pair. They preserve every
 *              register that can hold an argument, the static chain or the number of vector
 *              arguments, and describe the stack at each instruction. While arcs_is_wanted is 0,
 *              they jump to arcs_mcount_next or arcs_fentry_next with all registers as they were,
 *              or return if that is NULL. They check that first: they may be called before the
 *              library is relocated, and in static programs before there are thread variables.
 *
 *              arcs_count(from, self) does the whole work, in general registers alone. The code
 *              of a port is only a fast path: it looks for the arc in the table of its
 *              thread, arcs_this, and adds 1 to it. A signal handler that counts as well may come
 *              at any instruction, so the increment must be one instruction, or atomic.
 *
 *   mcount.h   this file: the table as assembly sees it, and the first slot of an arc,
 *              in words of 64 bits:
 *
 *                product = (rotate_left(self, 32) ^ from) * ARCS_MULTIPLIER
 *                offset of the slot = byte_swap(product) & table->mask
 *
 *              Each further slot is one pointer size behind, & table->mask, up to
 *              one that is 0.
 */
#ifndef DWELL_ARCH_MCOUNT_H
#define DWELL_ARCH_MCOUNT_H

#define ARCS_MULTIPLIER 0x9e3779b97f4a7c15

#define ARCS_TABLE_MASK  0
#define ARCS_TABLE_SLOTS 64
#define ARC_FROM         0
#define ARC_SELF         8
#define ARC_COUNT        16

#endif
