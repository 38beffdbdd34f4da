/* SPDX-License-Identifier: MIT
 *
 * expression.h - DWARF's stack machine, as far as call frame information uses it.
 * Async-signal-safe.
 */
#ifndef DWELL_UNWIND_EXPRESSION_H
#define DWELL_UNWIND_EXPRESSION_H

#include "unwind/fde.h"
#include "unwind/registers.h"

#define EXPRESSION_DEPTH 24   /* values on its stack */
#define EXPRESSION_STEPS 1000 /* operations; it can jump back */

/* The base of a value: none, the CFA, or register n as EXPRESSION_OF_REGISTER + n. */
enum {
	EXPRESSION_OF_NOTHING,
	EXPRESSION_OF_CFA,
	EXPRESSION_OF_REGISTER,
};

struct expression_value {
	uintptr_t number;
	uint8_t of;
};

/*
 * Computes the value of the expression whose length is at `address`, in a frame with these
 * registers. `first` is on the stack at the beginning; NULL: the stack is empty.
 *
 * memory is used to dereference; NULL: dereferencing fails, and the value holds for any frame at
 * this pc, relative to at most one other register. So values that depend on the pc alone can be
 * computed once.
 *
 * Returns 0; -EINVAL: it is invalid, or cannot be computed without a frame; -EFAULT: it reads
 * unreadable memory.
 */
int expression_run(const struct unwind_data *data, uintptr_t address, const struct memory *memory,
		   const struct registers *registers, const struct expression_value *first,
		   struct expression_value *result);

#endif
