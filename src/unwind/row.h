/* SPDX-License-Identifier: MIT
 *
 * row.h - how to get from the registers of a frame to those of its caller, at one address: a row of
 * the table that call frame information encodes.
 *
 * CFA, the canonical frame address, is the caller's stack pointer after the return.
 */
#ifndef DWELL_UNWIND_ROW_H
#define DWELL_UNWIND_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* How to find the caller's value of a register from its value[]. */
enum row_how {
	ROW_UNSAID,        /* unchanged, if the ABI makes functions preserve the register */
	ROW_SAME,          /* unchanged */
	ROW_UNDEFINED,     /* lost; for the return address: no caller */
	ROW_AT_OFFSET,     /* in memory at CFA + value */
	ROW_IS_OFFSET,     /* it is CFA + value */
	ROW_REGISTER,      /* in the register of that number */
	ROW_AT_EXPRESSION, /* in memory where the expression points */
	ROW_IS_EXPRESSION, /* the expression's value */
};

enum row_cfa {
	ROW_CFA_UNSAID,
	ROW_CFA_REGISTER,   /* cfa_register + cfa_value */
	ROW_CFA_EXPRESSION, /* the expression's value */
};

/* The value of an expression is the place of its length, relative to the FDE. Compact, since
 * several rows are on a signal handler's stack. */
struct row {
	int32_t value[ARCH_FRAME_REGISTERS];
	int32_t cfa_value;
	uint8_t how[ARCH_FRAME_REGISTERS]; /* enum row_how */
	uint8_t cfa;                       /* enum row_cfa */
	uint8_t cfa_register;
};

/* Returns true if the return address, in register `back`, is still where the call left it. Only an
 * interrupted frame can have this: a frame that has made a call has lost it. */
static inline bool row_has_link(const struct row *row, unsigned back)
{
	return ARCH_FRAME_LINK != ARCH_FRAME_PC && back == ARCH_FRAME_LINK &&
	       (row->how[back] == ROW_UNSAID || row->how[back] == ROW_SAME);
}

#endif
