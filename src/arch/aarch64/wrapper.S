/* SPDX-License-Identifier: MIT
 *
 * wrapper.S - the code around a wrapped call on aarch64.
 *
 *	caller          redirector      arch_enter_*           stub             function
 *	  bl  --------->  x16 = f  ---->  takes a slot,
 *	                                  copies x30
 *	                                  into it  ----------->  blr x16 -------->  ...
 *	                                  arch_exit_*     <----  x16 = slot  <----  ret
 *	  ...  <------------------------  ret
 *
 * Every call has its ret, so that the CPU predicts all returns. A function that signs the return address it
 * gets does so with the stack pointer it gets, which is the caller's all the way: nothing is on the stack while
 * it runs.
 *
 * All registers are preserved but x16 and x17, which any call may clobber, and flags. Vector and predicate
 * registers are never touched: they hold arguments and results all the way through.
 *
 * Signals may arrive at any instruction, and their handlers may make wrapped calls and unwind. Hence: a slot is
 * taken and filled before x30 is replaced; at exit x30 has the return address before the slot is given back.
 * Until x30 is about to be replaced the slot's SP is SP_NOBODY.
 *
 * Everything but the fast path for counting is left to C: calls_enter() and calls_leave(). They are compiled
 * for general registers only and call nothing but each other and the kernel.
 */
#include "calls_layout.h"
#include "thread.h"
#include "wrapper.h"

#define DW_CFA_expression 0x10
#define DW_OP_breg(n)     0x70 + n

/* Call frame information for the part in which the return address is only in the slot, as its first word;
 * x\register is the slot. */
.macro cfi_return_address_by_slot register
	.cfi_escape DW_CFA_expression, 30, 2, DW_OP_breg(\register), 0
.endm

.macro begin name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.cfi_startproc
.endm

.macro function name
	begin	\name
	LANDING_PAD
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

/* Saves all registers that a call of C may change, and x16. The return address comes first: that is the frame
 * passed to calls_enter(). */
#define FRAME_BYTES    160
#define FRAME_RETURN   152

.macro save_all
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	sub	sp, sp, #FRAME_BYTES - 16
	.cfi_adjust_cfa_offset FRAME_BYTES - 16
	stp	x0, x1, [sp]
	stp	x2, x3, [sp, #16]
	stp	x4, x5, [sp, #32]
	stp	x6, x7, [sp, #48]
	stp	x8, x9, [sp, #64]
	stp	x10, x11, [sp, #80]
	stp	x12, x13, [sp, #96]
	stp	x14, x15, [sp, #112]
	stp	x16, x18, [sp, #128]
.endm

.macro restore_but_frame
	ldp	x0, x1, [sp]
	ldp	x2, x3, [sp, #16]
	ldp	x4, x5, [sp, #32]
	ldp	x6, x7, [sp, #48]
	ldp	x8, x9, [sp, #64]
	ldp	x10, x11, [sp, #80]
	ldp	x12, x13, [sp, #96]
	ldp	x14, x15, [sp, #112]
	ldp	x16, x18, [sp, #128]
.endm

.macro restore_all
	restore_but_frame
	add	sp, sp, #FRAME_BYTES - 16
	.cfi_adjust_cfa_offset 16 - FRAME_BYTES
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
.endm

/* \to = offset of calls_this from the thread's control block; 0: this library is not relocated yet */
.macro offset_of_this to
	adrp	\to, :gottprel:calls_this
	ldr	\to, [\to, #:gottprel_lo12:calls_this]
.endm

/* *(x17 + \offset) += 1, where a signal handler may do the same in between; clobbers x9 and x10, and adds to x17 */
.macro count offset
	add	x17, x17, #\offset
1:	ldxr	x9, [x17]
	add	x9, x9, #1
	stxr	w10, x9, [x17]
	cbnz	w10, 1b
.endm

.macro go
	ldr	x16, [x16, #FUNCTION_TARGET]
	br	x16
.endm

	.text

/* arch_enter_plain: as without a wrapper. Used before the runtime has started, and after it has given up. */
function arch_enter_plain
	go
end arch_enter_plain

function arch_nothing
	ret
end arch_nothing

/* arch_enter_start: this library cannot be used until the linker has written the offset of calls_this. Then
 * calls_start() changes the way in of every redirector; jumps there. */
function arch_enter_start
	offset_of_this x17
	cbz	x17, arch_enter_plain
	mrs	x17, tpidr_el0
	ldr	x17, [x17, #TCB_DTV]
	cbz	x17, arch_enter_count_whole		/* cannot start here: count it as lost */
	save_all
	bl	calls_start
	restore_all
	ldr	x17, [x16, #FUNCTION_ENTER]
	br	x17
end arch_enter_start

/*
 * arch_enter_count: tallies[id]->calls++, ->untimed++; jump. The function sees its real caller.
 */
function arch_enter_count
	stp	x9, x10, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	mrs	x9, tpidr_el0
	ldr	x10, [x9, #TCB_DTV]
	cbz	x10, .Lcount_in_c
	offset_of_this x17
	ldr	x17, [x17, x9]
	ldr	w9, [x16, #FUNCTION_ID]
	ldr	x10, [x17, #THREAD_CAPACITY]
	cmp	x9, x10
	b.hs	.Lcount_in_c
	ldr	x17, [x17, #THREAD_TALLIES]
	ldr	x17, [x17, x9, lsl #3]
	cbz	x17, .Lcount_in_c
	count	TALLY_OF_CALLS
	count	TALLY_OF_UNTIMED - TALLY_OF_CALLS
	ldp	x9, x10, [sp], #16
	.cfi_adjust_cfa_offset -16
	go
	.cfi_adjust_cfa_offset 16
.Lcount_in_c:
	ldp	x9, x10, [sp], #16
	.cfi_adjust_cfa_offset -16
	b	arch_enter_count_whole
end arch_enter_count

/*
 * arch_enter_count_whole: void calls_count(struct function *, frame), then jump; frame is as for calls_enter().
 */
function arch_enter_count_whole
	save_all
	mov	x0, x16
	add	x1, sp, #FRAME_RETURN
	bl	calls_count
	restore_all
	go
end arch_enter_count_whole

/* arch_enter_resolver: returns calls_resolve(struct function *, arguments, return address). All arguments of a
 * resolver are in registers. */
function arch_enter_resolver
	save_all
	mov	x0, x16
	mov	x1, sp
	mov	x2, x30
	bl	calls_resolve
	str	x0, [sp]
	restore_all
	ret
end arch_enter_resolver

/* arch_enter_whole: struct slot *calls_enter(struct function *, frame) takes and fills the slot; frame is the
 * address of the return address. If it returns NULL, there is to be no slot: jumps to the function. */
	.globl	arch_enter_timed, arch_enter_sampled
	.hidden	arch_enter_timed, arch_enter_sampled
	.type	arch_enter_timed, %function
	.type	arch_enter_sampled, %function
	.set	arch_enter_timed, arch_enter_whole
	.set	arch_enter_sampled, arch_enter_whole
function arch_enter_whole
	save_all
	mov	x0, x16
	add	x1, sp, #FRAME_RETURN
	bl	calls_enter
	mov	x17, x0
	restore_but_frame
	ldr	x16, [x16, #FUNCTION_TARGET]
	cbz	x17, .Lno_slot
	add	x30, sp, #FRAME_RETURN - SP_BELOW_FRAME
	str	x30, [x17, #SLOT_SP]
	add	sp, sp, #FRAME_BYTES - 16
	.cfi_remember_state
	.cfi_adjust_cfa_offset 16 - FRAME_BYTES
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	mov	x30, #ARENA_BYTES
	cfi_return_address_by_slot 17
	sub	x30, x17, x30
	br	x30
	.cfi_restore_state
	.cfi_def_cfa_offset FRAME_BYTES			/* clang's assembler forgets it */
.Lno_slot:
	add	sp, sp, #FRAME_BYTES - 16
	.cfi_adjust_cfa_offset 16 - FRAME_BYTES
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	br	x16
end arch_enter_whole

/*
 * arch_exit_whole: void calls_leave(struct slot *, 0) reads the clock itself. Comes from a stub, without a
 * frame: sp is where the caller had it.
 *
 *	x16	struct slot
 */
	.globl	arch_exit_timed
	.hidden	arch_exit_timed
	.type	arch_exit_timed, %function
	.set	arch_exit_timed, arch_exit_whole
begin arch_exit_whole
	cfi_return_address_by_slot 16
	LANDING_PAD
	ldr	x30, [x16, #SLOT_RETURN]
	.cfi_restore x30
	save_all
	mov	x0, x16
	mov	x1, #0
	bl	calls_leave
	restore_all
	ret
end arch_exit_whole

/*
 * arch_landing: landing pad to which the personality directs an exception that the caller of the wrapped
 * function will catch. Acts as if the caller had called _Unwind_Resume() in its place.
 *
 *	x0	exception
 *	x1	struct slot
 *	sp	the caller's
 */
begin arch_landing
	cfi_return_address_by_slot 1
	LANDING_PAD_OF_JUMPS
	ldr	x30, [x1, #SLOT_RETURN]
	.cfi_restore x30
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	str	x0, [sp, #16]
	mov	x0, x1
	bl	calls_landed				/* gives the slot back; returns _Unwind_Resume */
	mov	x16, x0
	ldr	x0, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_adjust_cfa_offset -32
	.cfi_restore x29
	.cfi_restore x30
	br	x16
end arch_landing

	.section .note.GNU-stack, "", %progbits
	MARKS
