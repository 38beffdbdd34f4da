/* SPDX-License-Identifier: MIT
 *
 * mcount.S - the functions that code built with -pg calls first, on x86-64.
 *
 *	at mcount, _mcount                    at __fentry__ (-mfentry)
 *
 *	8(%rbp)  from: return address         8(%rsp)  from: return address
 *	         of the function                       of the function
 *	(%rbp)   its caller's rbp             (%rsp)   self: in the function
 *	(%rsp)   self: in the function
 *
 * All registers may be in use but r11: arguments are in rdi, rsi, rdx, rcx, r8, r9 and vectors, the number of
 * these in rax, the static chain in r10. So all but r11 are saved, and vectors are not touched; the C code
 * called is compiled for general registers alone.
 *
 *	if (!arcs_is_wanted) goto next;			the libc's, if any
 *	table = arch_has_thread_locals() ? arcs_this : NULL;
 *	if (table)
 *		for (at = slot_of(from, self); (arc = table->slots[at]); at = next(at))
 *			if (arc->from == from && arc->self == self) {
 *				arc->count++;
 *				return;
 *			}
 *	arcs_count(from, self);
 *
 * The increment is one instruction, which no signal can split; no other thread writes the count.
 */
#include "mcount.h"
#include "thread.h"

.macro save register
	push	\register
	.cfi_adjust_cfa_offset 8
.endm

.macro restore register
	pop	\register
	.cfi_adjust_cfa_offset -8
.endm

/* from: its place, while four registers are saved on the stack; next: the function to go on to while no calls are counted */
.macro count_call from, next
	.cfi_startproc
	endbr64
	cmpb	$0, arcs_is_wanted(%rip)
	je	4f
	save	%rax
	save	%rcx
	save	%rdx
	save	%r10
	mov	\from, %rax				/* rax = from */
	mov	32(%rsp), %rcx				/* rcx = self */
	cmpq	$0, %fs:TCB_DTV				/* not a thread of libc's: no variables */
	je	3f
	mov	arcs_this@gottpoff(%rip), %r11
	mov	%fs:(%r11), %r11			/* r11 = table */
	test	%r11, %r11
	jz	3f
	mov	%rcx, %rdx
	rol	$32, %rdx
	xor	%rax, %rdx
	imul	multiplier(%rip), %rdx
	bswap	%rdx
	and	ARCS_TABLE_MASK(%r11), %rdx		/* rdx = offset of the slot */
1:	mov	ARCS_TABLE_SLOTS(%r11, %rdx), %r10	/* r10 = arc */
	test	%r10, %r10
	jz	3f
	cmp	%rax, ARC_FROM(%r10)
	jne	2f
	cmp	%rcx, ARC_SELF(%r10)
	jne	2f
	incq	ARC_COUNT(%r10)
	.cfi_remember_state
	restore	%r10
	restore	%rdx
	restore	%rcx
	restore	%rax
	ret
	.cfi_restore_state
2:	add	$8, %rdx
	and	ARCS_TABLE_MASK(%r11), %rdx
	jmp	1b
3:	jmp	count_in_c
	.cfi_adjust_cfa_offset -32
4:	mov	\next(%rip), %r11
	test	%r11, %r11
	jz	5f
	jmp	*%r11
5:	ret
	.cfi_endproc
.endm

	.section .rodata
	.p2align 3
multiplier:
	.quad	ARCS_MULTIPLIER

	.text
	.p2align 5
	.globl	mcount, _mcount
	.protected mcount, _mcount
	.type	mcount, @function
	.type	_mcount, @function
mcount:
_mcount:
	count_call "8(%rbp)", arcs_mcount_next
	.size	mcount, . - mcount
	.size	_mcount, . - _mcount

	.p2align 5
	.globl	__fentry__
	.protected __fentry__
	.type	__fentry__, @function
__fentry__:
	count_call "40(%rsp)", arcs_fentry_next
	.size	__fentry__, . - __fentry__

/* rax = from, rcx = self; rax, rcx, rdx and r10 are on the stack already. The alignment of the stack is
 * unknown. */
	.p2align 5
	.type	count_in_c, @function
count_in_c:
	.cfi_startproc
	.cfi_adjust_cfa_offset 32
	save	%rsi
	save	%rdi
	save	%r8
	save	%r9
	save	%rbx
	.cfi_rel_offset %rbx, 0
	mov	%rsp, %rbx
	.cfi_def_cfa_register %rbx
	and	$-16, %rsp
	mov	%rax, %rdi
	mov	%rcx, %rsi
	call	arcs_count
	mov	%rbx, %rsp
	.cfi_def_cfa_register %rsp
	restore	%rbx
	.cfi_restore %rbx
	restore	%r9
	restore	%r8
	restore	%rdi
	restore	%rsi
	restore	%r10
	restore	%rdx
	restore	%rcx
	restore	%rax
	ret
	.cfi_endproc
	.size	count_in_c, . - count_in_c

	.section .note.GNU-stack, "", @progbits
