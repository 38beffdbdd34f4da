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

/* What a value is relative to: nothing, the CFA, or register n as EXPRESSION_OF_REGISTER + n. */
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
 * The value of the expression whose length is at `address`, in a frame with these registers.
 * `first` is on the stack at the beginning; NULL: nothing is.
 *
 * memory is what is dereferenced; NULL: nothing is, and the value is found for any frame at this
 * pc, whatever its other registers: it is relative to at most one of them. So what depends on the
 * pc alone can be worked out once.
 *
 * 0; -EINVAL: it makes no sense, or cannot be said without a frame; -EFAULT: it reads what cannot
 * be read.
 */
int expression_run(const struct unwind_data *data, uintptr_t address, const struct memory *memory,
		   const struct registers *registers, const struct expression_value *first,
		   struct expression_value *result);

#endif
