/* SPDX-License-Identifier: MIT
 *
 * wrapper.S - the code around a wrapped call on x86-64.
 *
 *	caller          redirector      arch_enter_*           stub             function
 *	  call  ------->  r11 = f  ---->  takes a slot,
 *	                                  moves the return
 *	                                  address into it ---->  call *r11 ------>  ...
 *	                                  arch_exit_*     <----  r11 = slot  <----  ret
 *	  ...  <------------------------  ret
 *
 * The return address is moved, not overwritten, and every call has its ret, so that the CPU predicts all
 * returns. Only general registers are touched: vector, x87 and mask registers hold arguments and results all
 * the way through.
 *
 * The stack at entry, in the wrapper and in the function; it does not move in between:
 *
 *	arguments	arguments	arguments	<- CFA
 *	return address	stub		stub + 3
 *			rax, rdx, r10	locals...
 *
 * All registers but r11 are preserved. Callers of a patched function may rely on r11 as well (-fipa-ra): its gate keeps
 * it at KEPT_R11 below the return address until the function runs, the stub stores the function's at KEPT_RESULT, and
 * the exits load it. Both places are in the red zone, below all that is pushed here; calls of C leave room for them.
 *
 * Signals may arrive at any instruction, and their handlers may make wrapped calls and unwind. Hence: a slot is
 * taken (THREAD_TOP) before it is filled, and filled before the return address is replaced; at exit the return
 * address is back on the stack before the slot is given back. Until the return address is replaced, and from
 * just before the slot is given back, its SP is SP_NOBODY.
 *
 * Rare cases are left to C: calls_enter() and calls_leave() do the same from beginning to end. They are
 * compiled for general registers only and call nothing but each other and the kernel.
 */
#include "calls_layout.h"
#include "thread.h"
#include "x86/cfi.h"

/* Call frame information for the part in which the stack has the stub in place of the return address. The
 * return address is in the slot, at *(CFA - 8) + ARENA_BYTES. */
.macro cfi_return_address_in_slot
	.cfi_escape DW_CFA_expression, DW_REG_RIP, 10, DW_OP_const1u, 8, DW_OP_minus, DW_OP_deref, \
		DW_OP_const4s, BYTES_OF_WORD(ARENA_BYTES), DW_OP_plus
.endm

.macro save register
	push	\register
	.cfi_adjust_cfa_offset 8
.endm

.macro restore register
	pop	\register
	.cfi_adjust_cfa_offset -8
.endm

.macro function name, align=5
	.p2align \align
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

/* \to = struct calls_thread of this thread, or calls_no_thread, which has no tallies and no slots. Jumps to
 * \foreign if the thread has no thread-local variables made by libc: none can be read then. */
.macro this_thread to, foreign
	cmpq	$0, %fs:TCB_DTV
	je	\foreign
	mov	calls_this@gottpoff(%rip), \to
	mov	%fs:(\to), \to
.endm

/* Leaves room below what was pushed; or, with a negative number, ends that. */
.macro leave_room bytes
	lea	-(\bytes)(%rsp), %rsp
	.cfi_adjust_cfa_offset \bytes
.endm

/* Saves the registers that carry arguments, the static chain and the number of vector arguments, around a call
 * of C. r11, struct function, is saved as well, and the word at KEPT_R11 stays. */
#define ARGUMENTS_BYTES (72 + 16)
.macro save_arguments
	save	%rax
	save	%rdx
	save	%r10
	save	%rcx
	save	%rsi
	save	%rdi
	save	%r8
	save	%r9
	save	%r11
	leave_room 16
.endm

.macro restore_arguments_but_three
	leave_room -16
	restore	%r11
	restore	%r9
	restore	%r8
	restore	%rdi
	restore	%rsi
	restore	%rcx
.endm

/* \thread = this_thread, then \to = its tally of the function in r11; clobbers rax. Jumps to \none if it has none
 * yet. The mov keeps cmp and jae apart: fused, they would cross 32 bytes in arch_enter_count, which Skylake
 * decodes anew each time. */
.macro find_tally thread, to, none
	this_thread \thread, \none
	mov	FUNCTION_ID(%r11), %eax
	cmp	THREAD_CAPACITY(\thread), %eax
	mov	THREAD_TALLIES(\thread), \to
	jae	\none
	mov	(\to, %rax, 8), \to
	test	\to, \to
	jz	\none
.endm

/* rax = the CPU's counter; clobbers rdx */
.macro ticks
	rdtsc
	shl	$32, %rdx
	or	%rdx, %rax
.endm

	.text

/* arch_enter_plain: as without a wrapper. Used before the runtime has started, and after it has given up. */
function arch_enter_plain
	jmp	*FUNCTION_TARGET(%r11)
end arch_enter_plain

function arch_nothing
	ret
end arch_nothing

/* arch_enter_start: this library cannot be used until the linker has written the offset of calls_this. Then
 * calls_start() changes the way in of every redirector; jumps there. */
function arch_enter_start
	save	%r10
	mov	calls_this@gottpoff(%rip), %r10
	test	%r10, %r10
	restore	%r10
	jz	arch_enter_plain
	cmpq	$0, %fs:TCB_DTV
	je	arch_enter_count_whole			/* cannot start here: count it as lost */
	save_arguments
	call	calls_start
	restore_arguments_but_three
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	*FUNCTION_ENTER(%r11)
end arch_enter_start

/*
 * arch_enter_count: tallies[id]->calls++, ->untimed++; jump. The function sees its real caller.
 *
 * The usual case fits into one cache line, and so takes no longer than the jumps alone; from two lines, it takes a
 * cycle more. Hence rdx: instructions with r10 are longer.
 */
function arch_enter_count, 6
	save	%rax
	save	%rdx
	find_tally %rdx, %rdx, .Lcount_in_c
	addq	$1, TALLY_OF_CALLS(%rdx)
	addq	$1, TALLY_OF_UNTIMED(%rdx)
	restore	%rdx
	restore	%rax
	jmp	*FUNCTION_TARGET(%r11)
	.org	arch_enter_count + 64, 0xcc		/* an error if it is longer than the line */
	.cfi_adjust_cfa_offset 16
.Lcount_in_c:
	restore	%rdx
	restore	%rax
	jmp	arch_enter_count_whole
end arch_enter_count

/* arch_enter_count_whole: void calls_count(struct function *, frame), then jump; frame is as for calls_enter(). */
function arch_enter_count_whole
	save_arguments
	mov	%r11, %rdi
	lea	ARGUMENTS_BYTES(%rsp), %rsi
	call	calls_count
	restore_arguments_but_three
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	*FUNCTION_TARGET(%r11)
end arch_enter_count_whole

/* arch_enter_resolver: returns calls_resolve(struct function *, arguments, return address). All arguments of a
 * resolver are in registers. */
function arch_enter_resolver
	save	%rax					/* 16 bytes in all, for C */
	save	%r9
	save	%r8
	save	%rcx
	save	%rdx
	save	%rsi
	save	%rdi
	mov	%r11, %rdi
	mov	%rsp, %rsi
	mov	56(%rsp), %rdx
	call	calls_resolve
	add	$56, %rsp
	.cfi_adjust_cfa_offset -56
	ret
end arch_enter_resolver

/* arch_enter_whole: struct slot *calls_enter(struct function *, frame) takes and fills the slot; frame is the
 * address of the return address. If it returns NULL, there is to be no slot: jumps to the function. */
function arch_enter_whole
	save_arguments
	mov	%r11, %rdi
	lea	ARGUMENTS_BYTES(%rsp), %rsi
	call	calls_enter
	restore_arguments_but_three
	mov	FUNCTION_TARGET(%r11), %r11
	test	%rax, %rax
	jz	.Lno_slot
	sub	$ARENA_BYTES, %rax			/* its stub */
	mov	%rax, SP_BELOW_FRAME(%rsp)
	.cfi_remember_state
	cfi_return_address_in_slot
	mov	%rsp, ARENA_BYTES + SLOT_SP(%rax)
	restore	%r10
	restore	%rdx
	restore	%rax
	lea	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	jmp	*-8(%rsp)				/* the red zone is ours: no signal writes there */
	.cfi_restore_state
	.cfi_def_cfa_offset 32			/* clang's assembler forgets it */
.Lno_slot:
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	*%r11
end arch_enter_whole

/*
 * arch_enter_timed: calls_enter() for the usual case.
 *
 *	r11	struct function, later the function itself
 *	r10	struct calls_thread, later struct slot
 *	rdx	struct record_calls
 *	rax	struct slot
 */
function arch_enter_timed
	save	%rax
	save	%rdx
	save	%r10
	find_tally %r10, %rdx, .Lenter_in_c
	mov	THREAD_TOP(%r10), %rax
	cmp	THREAD_LIMIT(%r10), %rax
	je	.Lenter_in_c
	/* The frame of the slot below still exists, unless it is lower on the stack than ours. */
	cmp	%rsp, SLOT_SP - SLOT_BYTES(%rax)
	jbe	.Llower
.Ltake:
	addq	$1, TALLY_OF_CALLS(%rdx)
	addq	$SLOT_BYTES, THREAD_TOP(%r10)
	mov	%rdx, SLOT_TALLY(%rax)
	mov	SP_BELOW_FRAME(%rsp), %r10
	mov	%r10, SLOT_RETURN(%rax)
	movq	$0, SLOT_CHILDREN(%rax)
	movq	$0, SLOT_OVERHEAD(%rax)
	cmpq	$0, TALLY_OF_OUTERMOST(%rdx)
	jne	1f
	mov	%rax, TALLY_OF_OUTERMOST(%rdx)
1:	mov	FUNCTION_TARGET(%r11), %r11
	mov	%rax, %r10
	sub	$ARENA_BYTES, %rax
	mov	%rax, SP_BELOW_FRAME(%rsp)
	.cfi_remember_state
	cfi_return_address_in_slot
	mov	%rsp, SLOT_SP(%r10)
	ticks
	mov	%rax, SLOT_ENTERED(%r10)
	restore	%r10
	restore	%rdx
	restore	%rax
	lea	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	jmp	*-8(%rsp)
	.cfi_restore_state
	.cfi_def_cfa_offset 32			/* clang's assembler forgets it */
.Llower:
	/* Equally low, and it is our caller's: a function that ended by jumping to this one. */
	jb	.Lenter_in_c
	mov	%rax, -8(%rsp)
	sub	$ARENA_BYTES + SLOT_BYTES - 3, %rax	/* the return address of its stub's call */
	cmp	%rax, SP_BELOW_FRAME(%rsp)
	mov	-8(%rsp), %rax
	je	.Ltake
.Lenter_in_c:
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	arch_enter_whole
end arch_enter_timed

/* arch_enter_sampled: times one call in a while, when --tally->skip gets to 0. */
function arch_enter_sampled
	save	%rax
	save	%rdx
	save	%r10
	find_tally %r10, %rdx, .Lsample_in_c
	cmpq	$1, TALLY_OF_SKIP(%rdx)
	jle	.Lsample_in_c
	subq	$1, TALLY_OF_SKIP(%rdx)
	addq	$1, TALLY_OF_CALLS(%rdx)
	addq	$1, TALLY_OF_UNTIMED(%rdx)
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	*FUNCTION_TARGET(%r11)
	.cfi_adjust_cfa_offset 24
.Lsample_in_c:
	restore	%r10
	restore	%rdx
	restore	%rax
	jmp	arch_enter_whole
end arch_enter_sampled

/*
 * arch_exit_timed: calls_leave() for the usual case. Comes from a stub, without a frame: rsp is where the
 * caller had it. Any register may hold a result, or be one that the function preserves, so all are kept.
 *
 *	r11	struct slot
 *	rsi	struct calls_thread
 *	rdi	struct record_calls
 *	rax	now, then the time less overhead
 *	rdx	time before it, then that in callees
 *
 * Reading the counter takes as long as all the rest, and waits for earlier instructions. So the histogram is
 * one call behind: the time of the last call goes into it while the counter is being read.
 *
 * The slot loses its tally before that counts the call as returned, so that a jump out of a signal handler in
 * between does not count it twice.
 */
.macro save_results
	save	%rax
	save	%rdx
	save	%rcx
	save	%rsi
	save	%rdi
	save	%r10
.endm

.macro restore_results
	restore	%r10
	restore	%rdi
	restore	%rsi
	restore	%rcx
	restore	%rdx
	restore	%rax
	mov	8 - KEPT_RESULT(%rsp), %r11
.endm

function arch_exit_timed
	.cfi_def_cfa_offset 0
	.cfi_escape DW_CFA_expression, DW_REG_RIP, 2, 0x7b, 0	/* DW_OP_breg11 0: SLOT_RETURN of r11 */
	push	SLOT_RETURN(%r11)
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	save_results
	ticks
	/* No instruction up to the next comment needs the time, so none waits for it. */
	this_thread %rsi, .Lleave_in_c
	lea	SLOT_BYTES(%r11), %rcx
	cmp	%rcx, THREAD_TOP(%rsi)
	jne	.Lleave_in_c
	cmpl	$0, calls_alive(%rip)
	je	.Lleave_in_c
	mov	SLOT_TALLY(%r11), %rdi
	mov	TALLY_OF_LAST(%rdi), %rdx
	mov	%rdx, %rcx
	or	$1 << OCTAVE_BITS, %rcx
	bsr	%rcx, %rcx
	sub	$OCTAVE_BITS, %ecx
	shr	%cl, %rdx
	cmp	$OCTAVE_SHORT, %ecx
	ja	.Lleave_in_c
	mov	TALLY_OF_OCTAVES(%rdi, %rcx, 8), %rcx
	test	%rcx, %rcx
	jz	.Lleave_in_c
	movq	$0, SLOT_TALLY(%r11)
	addq	$1, (%rcx, %rdx, 8)
	addq	$1, TALLY_OF_RETURNED(%rdi)
	mov	SLOT_OVERHEAD(%r11), %r10
	mov	SLOT_CHILDREN(%r11), %rdx
	mov	%r10, %rcx
	add	calls_state + STATE_COST(%rip), %rcx
	add	%rcx, SLOT_OVERHEAD - SLOT_BYTES(%r11)
	add	calls_state + STATE_INSIDE(%rip), %r10
	add	SLOT_ENTERED(%r11), %r10
	/* rax = now - entered - overhead - inside */
	sub	%r10, %rax
	js	.Lless_than_nothing
.Lnet:
	mov	%rax, TALLY_OF_LAST(%rdi)
	add	%rax, TALLY_OF_SUM(%rdi)
	add	%rax, SLOT_CHILDREN - SLOT_BYTES(%r11)
	cmp	%rax, TALLY_OF_MIN(%rdi)
	ja	.Lnew_min
.Lmin_done:
	cmp	%rax, TALLY_OF_MAX(%rdi)
	jb	.Lnew_max
.Lmax_done:
	cmp	%r11, TALLY_OF_OUTERMOST(%rdi)
	jne	.Lagain
	movq	$0, TALLY_OF_OUTERMOST(%rdi)
.Lagain_done:
	sub	%rdx, %rax
	add	%rax, TALLY_OF_SELF(%rdi)
	movq	$SP_NOBODY, SLOT_SP(%r11)
	mov	%r11, THREAD_TOP(%rsi)
	.cfi_remember_state
	restore_results
	ret
	.cfi_restore_state
	.cfi_def_cfa_offset 56			/* clang's assembler forgets it */
.Lless_than_nothing:
	xor	%eax, %eax
	jmp	.Lnet
.Lnew_min:
	mov	%rax, TALLY_OF_MIN(%rdi)
	jmp	.Lmin_done
.Lnew_max:
	mov	%rax, TALLY_OF_MAX(%rdi)
	jmp	.Lmax_done
.Lagain:
	add	%rax, TALLY_OF_AGAIN(%rdi)
	jmp	.Lagain_done
.Lleave_in_c:
	save	%r8
	save	%r9
	leave_room 8
	mov	%r11, %rdi
	mov	%rax, %rsi
	call	calls_leave
	leave_room -8
	restore	%r9
	restore	%r8
	restore_results
	ret
end arch_exit_timed

/* arch_exit_whole: void calls_leave(struct slot *, 0) reads the clock itself. */
function arch_exit_whole
	.cfi_def_cfa_offset 0
	.cfi_escape DW_CFA_expression, DW_REG_RIP, 2, 0x7b, 0
	push	SLOT_RETURN(%r11)
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	save_results
	save	%r8
	save	%r9
	leave_room 8
	mov	%r11, %rdi
	xor	%esi, %esi
	call	calls_leave
	leave_room -8
	restore	%r9
	restore	%r8
	restore_results
	ret
end arch_exit_whole

/*
 * arch_landing: landing pad to which the personality directs an exception that the caller of the wrapped
 * function will catch. Acts as if the caller had called _Unwind_Resume() in its place.
 *
 *	rax	exception
 *	rdx	struct slot
 *	rsp	the caller's
 */
function arch_landing
	.cfi_def_cfa_offset 0
	.cfi_escape DW_CFA_expression, DW_REG_RIP, 2, 0x71, 0	/* DW_OP_breg1 0: SLOT_RETURN of rdx */
	push	SLOT_RETURN(%rdx)
	.cfi_def_cfa_offset 8
	.cfi_offset %rip, -8
	save	%rax
	mov	%rdx, %rdi
	call	calls_landed				/* gives the slot back; returns _Unwind_Resume */
	restore	%rdi
	jmp	*%rax
end arch_landing

	.section .note.GNU-stack, "", @progbits
