/* SPDX-License-Identifier: MIT
 *
 * mcount.S - the functions that code built with -pg calls first, on i386.
 *
 *	at mcount, _mcount                    at __fentry__ (-mfentry)
 *
 *	4(%ebp)  from: return address         4(%esp)  from: return address
 *	         of the function                       of the function
 *	(%ebp)   its caller's ebp             (%esp)   self: in the function
 *	(%esp)   self: in the function
 *
 * Arguments may be in eax, ecx and edx (regparm), and the static chain is in ecx, so these are saved; the
 * called function preserves all others. Counting is left to C, since no register is free here to find a table:
 * see mcount.h.
 *
 *	arguments	...
 *	return address	self		<- CFA - 4
 *			eax
 *			ecx
 *			edx
 *			self		the arguments of arcs_count(from, self)
 *			from
 */
#include "mcount.h"

.macro save what
	push	\what
	.cfi_adjust_cfa_offset 4
.endm

.macro restore register
	pop	\register
	.cfi_adjust_cfa_offset -4
.endm

#define SAVED_SELF 12 /* from esp, once the three registers are saved */

/* from: its place then, with one more word on the stack; next: the function to go on to while no calls are counted, which is
 * returned to from the place of eax */
.macro count_call from, next
	.cfi_startproc
	endbr32
	save	%eax
	save	%ecx
	save	%edx
	call	1f
	.cfi_adjust_cfa_offset 4
1:	restore	%edx
	add	$_GLOBAL_OFFSET_TABLE_ + (. - 1b), %edx
	cmpb	$0, arcs_is_wanted@GOTOFF(%edx)
	je	2f
	save	SAVED_SELF(%esp)
	save	\from
	call	arcs_count
	add	$8, %esp
	.cfi_adjust_cfa_offset -8
	.cfi_remember_state
	jmp	3f
2:	mov	\next@GOTOFF(%edx), %edx
	test	%edx, %edx
	jz	3f
	mov	8(%esp), %eax
	mov	%edx, 8(%esp)
	restore	%edx
	restore	%ecx
	ret
	.cfi_restore_state
3:	restore	%edx
	restore	%ecx
	restore	%eax
	ret
	.cfi_endproc
.endm

	.text
	.p2align 5
	.globl	mcount, _mcount
	.protected mcount, _mcount
	.type	mcount, @function
	.type	_mcount, @function
mcount:
_mcount:
	count_call "4(%ebp)", arcs_mcount_next
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	.p2align 5
	.globl	__fentry__
	.protected __fentry__
	.type	__fentry__, @function
__fentry__:
	count_call "20(%esp)", arcs_fentry_next
	.size	__fentry__, . - __fentry__

	.section .note.GNU-stack, "", @progbits
