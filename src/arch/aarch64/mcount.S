/* SPDX-License-Identifier: MIT
 *
 * mcount.S - the function that code built with -pg calls first, on aarch64.
 *
 *	at _mcount:	x0  from: return address of the function, perhaps signed
 *			x30 self: in the function
 *
 * Compilers call it like any other function, so it may clobber the same registers. Counting is left to C: see
 * mcount.h. Flags and the stack are not touched, and the return address stays where it is.
 */
#include "mcount.h"
#include "wrapper.h"

	.text
	.p2align 5
	.globl	_mcount
	.protected _mcount
	.type	_mcount, @function
_mcount:
	.cfi_startproc
	hint	#34			/* bti c */
	adrp	x9, arcs_is_wanted
	ldrb	w9, [x9, :lo12:arcs_is_wanted]
	cbz	w9, 1f
	mov	x1, x30			/* x1 = self */
	mov	x30, x0
	.cfi_register x30, x1
	hint	#7			/* xpaclri: removes the signature of x30 */
	mov	x0, x30			/* x0 = from */
	mov	x30, x1
	.cfi_restore x30
	b	arcs_count
1:	adrp	x16, arcs_mcount_next
	ldr	x16, [x16, :lo12:arcs_mcount_next]
	cbz	x16, 2f
	br	x16
2:	ret
	.cfi_endproc
	.size	_mcount, . - _mcount

	.section .note.GNU-stack, "", %progbits
	MARKS
