/* SPDX-License-Identifier: MIT
 *
 * mcount.S - the function that code built with -pg calls first, on riscv64.
 *
 *	at _mcount:	a0  from: return address of the function
 *			ra  self: in the function
 *
 * Compilers call it like any other function, so it may clobber the same registers. Counting is left to C: see
 * mcount.h.
 */
#include "mcount.h"

	.text
	.p2align 4
	.globl	_mcount
	.protected _mcount
	.type	_mcount, @function
_mcount:
	.cfi_startproc
	lla	t1, arcs_is_wanted
	lbu	t1, 0(t1)
	beqz	t1, 1f
	mv	a1, ra
	tail	arcs_count
1:	lla	t1, arcs_mcount_next
	ld	t1, 0(t1)
	beqz	t1, 2f
	jr	t1
2:	ret
	.cfi_endproc
	.size	_mcount, . - _mcount

	.section .note.GNU-stack, "", %progbits
