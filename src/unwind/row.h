/* SPDX-License-Identifier: MIT
 *
 * row.h - how to get from the registers of a frame to those of its caller, at one address: a row of
 * the table that call frame information stands for.
 *
 * CFA, the canonical frame address, is what the caller's stack pointer will be after the return.
 */
#ifndef DWELL_UNWIND_ROW_H
#define DWELL_UNWIND_ROW_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

/* How the caller's value of a register is found, given value[] of it. */
enum row_how {
	ROW_UNSAID,        /* unchanged, if the ABI has functions keep the register */
	ROW_SAME,          /* unchanged */
	ROW_UNDEFINED,     /* lost; of the return address: there is no caller */
	ROW_AT_OFFSET,     /* in memory at CFA + value */
	ROW_IS_OFFSET,     /* it is CFA + value */
	ROW_REGISTER,      /* in the register of that number */
	ROW_AT_EXPRESSION, /* in memory where the expression says */
	ROW_IS_EXPRESSION, /* what the expression says */
};

enum row_cfa {
	ROW_CFA_UNSAID,
	ROW_CFA_REGISTER,   /* cfa_register + cfa_value */
	ROW_CFA_EXPRESSION, /* what the expression says */
};

/* Of an expression, the value is where its length is, relative to the FDE. Compact, since several
 * of them are on a signal handler's stack. */
struct row {
	int32_t value[ARCH_FRAME_REGISTERS];
	int32_t cfa_value;
	uint8_t how[ARCH_FRAME_REGISTERS]; /* enum row_how */
	uint8_t cfa;                       /* enum row_cfa */
	uint8_t cfa_register;
};

/* Whether the return address, of register `back`, is still where the call has left it. That can be
 * so only of a frame that was interrupted: one that has made a call has lost it. */
static inline bool row_has_link(const struct row *row, unsigned back)
{
	return ARCH_FRAME_LINK != ARCH_FRAME_PC && back == ARCH_FRAME_LINK &&
	       (row->how[back] == ROW_UNSAID || row->how[back] == ROW_SAME);
}

#endif
