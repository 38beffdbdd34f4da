/* SPDX-License-Identifier: MIT
 *
 * wrap.h - the part of a CPU's contract that wraps calls of library functions. src/arch/NAME/
 * provides:
 *
 *   arena.S    arch_redirectors and calls_functions, arch_stubs and calls_slots, and the unwind
 *              tables of redirectors and stubs
 *
 *   wrapper.S  the ways in and out below. They preserve every register that can hold an argument or
 *              a result, and describe the stack at each instruction: unwinding never fails.
 *
 *   wrapper.h  ARCH_STUB_CALL_BYTES
 *                from the start of a stub to where its call returns
 *              ARCH_RETURN_ON_STACK, ARCH_ENTRY_ABOVE_FRAME, arch_sign_return(),
 *              arch_code_signs()
 *                1 if a call pushes the return address; if not, how far above the wrapper's
 *                frame the stack pointer was, the value stored by a function that signs it,
 *                and whether code does so
 *              ARCH_LANDING_EXCEPTION, ARCH_LANDING_SLOT
 *                DWARF numbers of the registers that arch_landing takes
 *
 *   ticks.h    see there
 *
 * No function here but arch_nothing() can be called from C: they are addresses for redirectors and
 * slots. They call these functions of src/runtime/calls: calls_start(), calls_count(),
 * calls_enter(), calls_leave(), calls_landed(), calls_resolve().
 */
#ifndef DWELL_ARCH_WRAP_H
#define DWELL_ARCH_WRAP_H

#include "calls_layout.h"
#include "thread.h"
#include "ticks.h"
#include "wrapper.h"

#pragma GCC visibility push(hidden)

extern char arch_redirectors[FUNCTIONS_MAX][FUNCTION_BYTES];
extern char arch_stubs[];

/* Ways in. */
void arch_enter_start(void);       /* calls_start(), once this library is relocated; then retries */
void arch_enter_plain(void);       /* to the function */
void arch_enter_count(void);       /* count and jump */
void arch_enter_count_whole(void); /* the same in C */
void arch_enter_timed(void);       /* through a slot */
void arch_enter_sampled(void);     /* through a slot now and then */
void arch_enter_whole(void);       /* the same in C */
void arch_enter_resolver(void);    /* calls_resolve() in place of the function */

/* Ways out. */
void arch_exit_timed(void);
void arch_exit_whole(void);
void arch_landing(void);

/* Does nothing: measures the overhead. */
void arch_nothing(void);

#pragma GCC visibility pop

static inline void *arch_redirector(uint32_t function)
{
	return arch_redirectors[function];
}

#endif
