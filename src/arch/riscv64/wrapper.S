/* SPDX-License-Identifier: MIT
 *
 * wrapper.S - the code around a wrapped call on riscv64.
 *
 *	caller          redirector      arch_enter_*           stub             function
 *	  jal --------->  t3 = f   ---->  takes a slot,
 *	                                  copies ra
 *	                                  into it  ----------->  jalr t3 -------->  ...
 *	                                  arch_exit_*     <----  t3 = slot   <----  ret
 *	  ...  <------------------------  ret
 *
 * Every call has its ret, so that the CPU predicts all returns; other jumps go by t1 or t3, which it does not take
 * for returns.
 *
 * All registers are preserved but t1 and t3, which a PLT clobbers. Registers of floats and vectors are never touched:
 * they hold arguments and results all the way through.
 *
 * Signals may arrive at any instruction, and their handlers may make wrapped calls and unwind. Hence: a slot is
 * taken and filled before ra is replaced; at exit ra has the return address before the slot is given back.
 * Until ra is about to be replaced the slot's SP is SP_NOBODY.
 *
 * Everything but the fast path for counting is left to C: calls_enter() and calls_leave(). They do no arithmetic
 * with floats and call nothing but each other and the kernel.
 */
#include "calls_layout.h"
#include "thread.h"
#include "wrapper.h"

#define DW_CFA_expression 0x10
#define DW_OP_breg(n)     0x70 + n
#define DW_REG_RA         1
#define DW_REG_T1         6
#define DW_REG_A1         11
#define DW_REG_T3         28

/* Call frame information for the part in which the return address is only in the slot, as its first word;
 * \number is of the register with the slot. */
.macro cfi_return_address_by_slot number
	.cfi_escape DW_CFA_expression, DW_REG_RA, 2, DW_OP_breg(\number), 0
.endm

/* The same where ra is the stub. The last five bytes are ARENA_BYTES in LEB128. */
.macro cfi_return_address_by_stub
	.cfi_escape DW_CFA_expression, DW_REG_RA, 6, DW_OP_breg(DW_REG_RA), 0x80, 0x80, 0x80, 0xc0, 0
.endm
.if	ARENA_BYTES != 0x40 << 21
	.error	"ARENA_BYTES in LEB128"
.endif

.macro function name
	.p2align 4
	.globl	\name
	.hidden	\name
	.type	\name, %function
\name:
	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

/* Saves all registers that a call of C may change but t1. The return address comes first: that is the frame
 * passed to calls_enter(). */
#define FRAME_BYTES    128
#define FRAME_RETURN   120
#define FRAME_FP       112

.macro scratch instruction
	\instruction	a0, 0(sp)
	\instruction	a1, 8(sp)
	\instruction	a2, 16(sp)
	\instruction	a3, 24(sp)
	\instruction	a4, 32(sp)
	\instruction	a5, 40(sp)
	\instruction	a6, 48(sp)
	\instruction	a7, 56(sp)
	\instruction	t0, 64(sp)
	\instruction	t2, 72(sp)
	\instruction	t3, 80(sp)
	\instruction	t4, 88(sp)
	\instruction	t5, 96(sp)
	\instruction	t6, 104(sp)
.endm

.macro save_all
	addi	sp, sp, -FRAME_BYTES
	.cfi_def_cfa_offset FRAME_BYTES
	sd	ra, FRAME_RETURN(sp)
	.cfi_offset ra, FRAME_RETURN - FRAME_BYTES
	sd	s0, FRAME_FP(sp)
	.cfi_offset s0, FRAME_FP - FRAME_BYTES
	addi	s0, sp, FRAME_BYTES
	scratch	sd
.endm

.macro restore_frame
	ld	s0, FRAME_FP(sp)
	.cfi_restore s0
	ld	ra, FRAME_RETURN(sp)
	.cfi_restore ra
	addi	sp, sp, FRAME_BYTES
	.cfi_def_cfa_offset 0
.endm

.macro restore_all
	scratch	ld
	restore_frame
.endm

.macro go
	ld	t3, FUNCTION_TARGET(t3)
	jr	t3
.endm

/* \to = offset of the word behind calls_this from the thread pointer; 0: this library is not relocated yet */
.macro offset_behind_this to
	la.tls.ie \to, calls_behind_this
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
	offset_behind_this t1
	beqz	t1, arch_enter_plain
	ld	t1, TCB_DTV(tp)
	beqz	t1, arch_enter_count_whole		/* cannot start here: count it as lost */
	save_all
	call	calls_start
	restore_all
	ld	t1, FUNCTION_ENTER(t3)
	jr	t1
end arch_enter_start

/*
 * arch_enter_count: tallies[id]->calls++, ->untimed++; jump. The function sees its real caller. A signal handler
 * may count as well, hence the increments by one instruction.
 */
function arch_enter_count
	ld	t1, TCB_DTV(tp)
	beqz	t1, arch_enter_count_whole
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	t0, 0(sp)
	sd	t2, 8(sp)
	offset_behind_this t1
	add	t1, t1, tp
	ld	t1, -8(t1)
	lwu	t0, FUNCTION_ID(t3)
	ld	t2, THREAD_CAPACITY(t1)
	bgeu	t0, t2, .Lcount_in_c
	ld	t1, THREAD_TALLIES(t1)
	slli	t0, t0, 3
	add	t1, t1, t0
	ld	t1, 0(t1)
	beqz	t1, .Lcount_in_c
	li	t0, 1
	addi	t1, t1, TALLY_OF_CALLS
	amoadd.d zero, t0, (t1)
	addi	t1, t1, TALLY_OF_UNTIMED - TALLY_OF_CALLS
	amoadd.d zero, t0, (t1)
	ld	t0, 0(sp)
	ld	t2, 8(sp)
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	go
	.cfi_def_cfa_offset 16
.Lcount_in_c:
	ld	t0, 0(sp)
	ld	t2, 8(sp)
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	j	arch_enter_count_whole
end arch_enter_count

/*
 * arch_enter_count_whole: void calls_count(struct function *, frame), then jump; frame is as for calls_enter().
 */
function arch_enter_count_whole
	save_all
	mv	a0, t3
	addi	a1, sp, FRAME_RETURN
	call	calls_count
	restore_all
	go
end arch_enter_count_whole

/* arch_enter_resolver: returns calls_resolve(struct function *, arguments, return address). All arguments of a
 * resolver are in registers. */
function arch_enter_resolver
	save_all
	mv	a0, t3
	mv	a1, sp
	mv	a2, ra
	call	calls_resolve
	sd	a0, 0(sp)
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
	mv	a0, t3
	addi	a1, sp, FRAME_RETURN
	call	calls_enter
	mv	t1, a0
	scratch	ld
	ld	t3, FUNCTION_TARGET(t3)
	beqz	t1, .Lno_slot
	addi	ra, sp, FRAME_RETURN - SP_BELOW_FRAME
	sd	ra, SLOT_SP(t1)
	.cfi_remember_state
	restore_frame
	li	ra, ARENA_BYTES
	cfi_return_address_by_slot DW_REG_T1
	sub	ra, t1, ra
	cfi_return_address_by_stub
	mv	t1, ra
	jr	t1
	.cfi_restore_state
	.cfi_def_cfa_offset FRAME_BYTES			/* clang's assembler forgets it */
.Lno_slot:
	restore_frame
	jr	t3
end arch_enter_whole

/*
 * arch_exit_whole: void calls_leave(struct slot *, 0) reads the clock itself. Comes from a stub, without a
 * frame: sp is where the caller had it.
 *
 *	t3	struct slot
 */
	.globl	arch_exit_timed
	.hidden	arch_exit_timed
	.type	arch_exit_timed, %function
	.set	arch_exit_timed, arch_exit_whole
function arch_exit_whole
	cfi_return_address_by_slot DW_REG_T3
	ld	ra, SLOT_RETURN(t3)
	.cfi_restore ra
	save_all
	mv	a0, t3
	li	a1, 0
	call	calls_leave
	restore_all
	ret
end arch_exit_whole

/*
 * arch_landing: landing pad to which the personality directs an exception that the caller of the wrapped
 * function will catch. Acts as if the caller had called _Unwind_Resume() in its place.
 *
 *	a0	exception
 *	a1	struct slot
 *	sp	the caller's
 */
function arch_landing
	cfi_return_address_by_slot DW_REG_A1
	ld	ra, SLOT_RETURN(a1)
	.cfi_restore ra
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	sd	a0, 0(sp)
	mv	a0, a1
	call	calls_landed				/* gives the slot back; returns _Unwind_Resume */
	mv	t1, a0
	ld	a0, 0(sp)
	ld	ra, 8(sp)
	.cfi_restore ra
	addi	sp, sp, 16
	.cfi_def_cfa_offset 0
	jr	t1
end arch_landing

	.section .note.GNU-stack, "", %progbits
