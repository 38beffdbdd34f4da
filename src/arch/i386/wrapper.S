/* SPDX-License-Identifier: MIT
 *
 * wrapper.S - the code around a wrapped call on i386.
 *
 *	caller          redirector       arch_enter_*                        function        stub
 *	  call  ------->  push f  ----->  takes a slot, moves the return
 *	                                  address into it, leaves the
 *	                                  stub's in its place  ----ret--->  ...
 *	                                  arch_exit_whole  <---------------------------------  eax = slot
 *	  ...  <-------------------ret--                                    ret  ----------->
 *
 * No register is free before the function runs, and data cannot be addressed without one, so the function's
 * address is on the stack and the wrapper jumps to it by a ret. CPUs predict a return to the last call there;
 * and when the function returns to a stub, they predict its caller. The wrapper makes a call without a return
 * for each of the two, so that later predictions are right again.
 *
 * Only general registers are touched: vector and x87 registers hold arguments and results all the way through.
 * Flags are kept as well.
 *
 * The stack at entry, in the wrapper and in the function; it does not move in between:
 *
 *	arguments	arguments	arguments	<- CFA
 *	return address	return address	stub + 1
 *			function	locals...
 *			eax
 *			ecx
 *			edx
 *			flags
 *
 * Signals may arrive at any instruction, and their handlers may make wrapped calls and unwind. Hence: a slot is
 * taken and filled before the return address is replaced; at exit the return address is back on the stack
 * before the slot is given back. Nothing below esp is ever relied on: i386 has no red zone. Once the stub is on
 * the stack and SLOT_SP is written, the slot is not touched any more on the way in.
 *
 * Everything but the fast path for counting is left to C: calls_enter() and calls_leave(). They are compiled
 * for general registers only and call nothing but each other and the kernel.
 */
#include "calls_layout.h"
#include "thread.h"
#include "wrapper.h"

/* Call frame information for the part in which the stack has the stub in place of the return address. The
 * return address is in the slot, at *(CFA - 4) - 1 + ARENA_BYTES. */
#define DW_CFA_expression 0x10
#define DW_REG_EIP        8
#define DW_OP_deref       0x06
#define DW_OP_const4s     0x0d
#define DW_OP_minus       0x1c
#define DW_OP_plus        0x22
#define DW_OP_lit4        0x34
#define BYTES_OF_WORD(n)  (n) & 0xff, (n) >> 8 & 0xff, (n) >> 16 & 0xff, (n) >> 24 & 0xff

.macro cfi_return_address_in_slot
	.cfi_escape DW_CFA_expression, DW_REG_EIP, 9, DW_OP_lit4, DW_OP_minus, DW_OP_deref, \
		DW_OP_const4s, BYTES_OF_WORD(ARENA_BYTES - ARCH_STUB_CALL_BYTES), DW_OP_plus
.endm

.macro save what
	push	\what
	.cfi_adjust_cfa_offset 4
.endm

.macro restore register
	pop	\register
	.cfi_adjust_cfa_offset -4
.endm

.macro drop bytes
	add	$\bytes, %esp
	.cfi_adjust_cfa_offset -\bytes
.endm

.macro function name
	.p2align 4
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

/* Saves all flags that arithmetic changes, by way of eax: sign, zero, carry and others in ah, overflow in
 * al. */
.macro save_flags
	lahf
	seto	%al
	save	%eax
.endm

.macro restore_flags
	restore	%eax
	add	$127, %al
	sahf
.endm

/* The CPU will predict a return to here that never comes. \to: the pushed word, the address here. */
.macro call_without_return to
	call	1f
	.cfi_adjust_cfa_offset 4
0:	int3
1:	restore	\to
.endm

/*
 * Ways in begin where a redirector has left off: see arena.S. They make this frame; ecx = struct function and
 * edx = the global offset table. The part behind that is called NAME_framed, for those that continue there.
 */
#define FRAME_EAX      12
#define FRAME_FUNCTION 16
#define FRAME_RETURN   20
#define FRAME_BYTES    20

.macro way_in name
	function \name
	.cfi_def_cfa_offset 12
	save	%ecx
	lea	FUNCTIONS_SPACE - 9(%eax), %ecx		/* from the address that the redirector has pushed */
	mov	%ecx, 8(%esp)
	save	%edx
	save_flags
	call_without_return %edx
	add	$_GLOBAL_OFFSET_TABLE_ + (. - 0b), %edx
\name\()_framed:
.endm

/* Jumps to the address that FRAME_FUNCTION holds by now: the function's. gdb takes a plain ret for the end of a
 * function despite all call frame information, and so for its return. */
.macro go
	restore_flags
	restore	%edx
	restore	%ecx
	restore	%eax
	rep ret
.endm

/* \to = struct calls_thread of this thread, or calls_no_thread, which has no tallies and no slots. Jumps to
 * \foreign if the thread has no thread-local variables made by libc: none can be read then. */
.macro this_thread to, foreign
	cmpl	$0, %gs:TCB_DTV
	je	\foreign
	mov	calls_this@gotntpoff(%edx), \to
	mov	%gs:(\to), \to
.endm

	.text

/* arch_enter_plain: as without a wrapper. Used before the runtime has started, and after it has given up. */
way_in arch_enter_plain
	mov	FUNCTION_TARGET(%ecx), %ecx
	mov	%ecx, FRAME_FUNCTION(%esp)
	go
end arch_enter_plain

function arch_nothing
	ret
end arch_nothing

/* arch_enter_start: this library cannot be used until the linker has written the offset of calls_this. Then
 * calls_start() changes the way in of every redirector; jumps there. */
way_in arch_enter_start
	mov	calls_this@gotntpoff(%edx), %eax
	test	%eax, %eax
	jz	arch_enter_plain_framed
	cmpl	$0, %gs:TCB_DTV
	je	arch_enter_count_whole_framed		/* cannot start here: count it as lost */
	call	calls_start
	subl	$FUNCTIONS_SPACE, FRAME_FUNCTION(%esp)	/* once more from the redirector on */
	go
end arch_enter_start

/*
 * arch_enter_count: tallies[id]->calls++, ->untimed++; jump. The function sees its real caller. A signal
 * handler may count between the halves of a sum: the carry is still ours.
 */
way_in arch_enter_count
	this_thread %eax, arch_enter_count_whole_framed
	mov	FUNCTION_ID(%ecx), %edx
	cmp	THREAD_CAPACITY(%eax), %edx
	jae	arch_enter_count_whole_framed
	mov	THREAD_TALLIES(%eax), %eax
	mov	(%eax, %edx, 4), %eax
	test	%eax, %eax
	jz	arch_enter_count_whole_framed
	addl	$1, TALLY_OF_CALLS(%eax)
	adcl	$0, TALLY_OF_CALLS + 4(%eax)
	addl	$1, TALLY_OF_UNTIMED(%eax)
	adcl	$0, TALLY_OF_UNTIMED + 4(%eax)
	mov	FUNCTION_TARGET(%ecx), %ecx
	mov	%ecx, FRAME_FUNCTION(%esp)
	go
end arch_enter_count

/*
 * arch_enter_count_whole: void calls_count(struct function *, frame), then jump; frame is as for calls_enter().
 */
way_in arch_enter_count_whole
	lea	FRAME_RETURN(%esp), %eax
	save	%eax
	save	%ecx
	call	calls_count
	drop	8
	mov	FRAME_FUNCTION(%esp), %ecx
	mov	FUNCTION_TARGET(%ecx), %ecx
	mov	%ecx, FRAME_FUNCTION(%esp)
	go
end arch_enter_count_whole

/* arch_enter_resolver: returns calls_resolve(struct function *, arguments, return address). */
way_in arch_enter_resolver
	lea	FRAME_RETURN + 4(%esp), %eax
	save	FRAME_RETURN(%esp)
	save	%eax
	save	%ecx
	call	calls_resolve
	drop	12
	mov	%eax, FRAME_EAX(%esp)
	restore_flags
	restore	%edx
	restore	%ecx
	restore	%eax
	drop	4
	ret
end arch_enter_resolver

/* arch_enter_whole: struct slot *calls_enter(struct function *, frame) takes and fills the slot; frame is the
 * address of the return address. If it returns NULL, there is to be no slot: jumps to the function. */
	.globl	arch_enter_timed, arch_enter_sampled
	.hidden	arch_enter_timed, arch_enter_sampled
	.type	arch_enter_timed, @function
	.type	arch_enter_sampled, @function
	.set	arch_enter_timed, arch_enter_whole
	.set	arch_enter_sampled, arch_enter_whole
way_in arch_enter_whole
	lea	FRAME_RETURN(%esp), %eax
	save	%eax
	save	%ecx
	call	calls_enter
	drop	8
	mov	FRAME_FUNCTION(%esp), %ecx
	mov	FUNCTION_TARGET(%ecx), %ecx
	mov	%ecx, FRAME_FUNCTION(%esp)
	test	%eax, %eax
	jz	.Lno_slot
	lea	ARCH_STUB_CALL_BYTES - ARENA_BYTES(%eax), %ecx
	mov	%ecx, FRAME_RETURN(%esp)
	.cfi_remember_state
	cfi_return_address_in_slot
	lea	FRAME_RETURN - SP_BELOW_FRAME(%esp), %ecx
	mov	%ecx, SLOT_SP(%eax)
	call_without_return %ecx
	go
	.cfi_restore_state
	.cfi_def_cfa_offset FRAME_RETURN + 4		/* clang's assembler forgets it */
.Lno_slot:
	go
end arch_enter_whole

/*
 * arch_exit_whole: void calls_leave(struct slot *, 0) reads the clock itself. Comes from a stub, see arena.S.
 * eax, edx and st0 may hold a result; all registers are preserved.
 */
	.globl	arch_exit_timed
	.hidden	arch_exit_timed
	.type	arch_exit_timed, @function
function arch_exit_whole
arch_exit_timed:
	.cfi_def_cfa_offset 12
	mov	%eax, %ecx
	save	%edx
	save_flags
	save	$0
	save	$0
	save	%ecx
	call	calls_leave
	drop	12
	restore_flags
	restore	%edx
	restore	%ecx
	restore	%eax
	ret
end arch_exit_whole

/*
 * arch_landing: landing pad to which the personality directs an exception that the caller of the wrapped
 * function will catch. Acts as if the caller had called _Unwind_Resume() in its place, through a frame of ours.
 *
 *	eax	exception
 *	edx	struct slot
 *	esp	the caller's
 */
function arch_landing
	.cfi_def_cfa_offset 0
	.cfi_escape DW_CFA_expression, DW_REG_EIP, 2, 0x72, 0	/* DW_OP_breg2 0: SLOT_RETURN of edx */
	push	SLOT_RETURN(%edx)
	.cfi_def_cfa_offset 4
	.cfi_offset 8, -4
	sub	$8, %esp				/* 16 bytes in all, for C */
	.cfi_adjust_cfa_offset 8
	save	%eax
	save	%edx
	call	calls_landed				/* gives the slot back; returns _Unwind_Resume */
	drop	4
	call	*%eax
	hlt
end arch_landing

	.section .note.GNU-stack, "", @progbits
