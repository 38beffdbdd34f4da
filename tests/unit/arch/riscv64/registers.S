/* SPDX-License-Identifier: MIT
 *
 * registers.S - a caller and a function that together check every register that a call may use.
 *
 *	void registers_call(void *function, struct registers *given, struct registers *got)
 *
 * loads registers for arguments and preserved ones from *given, calls the function and stores registers for
 * results and preserved ones into *got.
 *
 *	registers_function
 *
 * stores the registers at entry in registers_arrived, and loads results from registers_results.
 */
#define A     0		/* a0-a7 */
#define T     64	/* t0, t2, t4-t6 */
#define KEPT  104	/* s0-s11 */
#define SP    200
#define STACK 208	/* two words of arguments */
#define FCSR  224
#define F     232	/* 32 of them */

#define SAVED (12 + 12 + 2) * 8

	.macro general instruction, base
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\instruction	a\n, (A + 8 * \n)(\base)
	.endr
	\instruction	t0, (T)(\base)
	\instruction	t2, (T + 8)(\base)
	\instruction	t4, (T + 16)(\base)
	\instruction	t5, (T + 24)(\base)
	\instruction	t6, (T + 32)(\base)
	.endm

	.macro floats instruction, base
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\instruction	f\n, (F + 8 * \n)(\base)
	.endr
	.endm

	.macro kept instruction, base, at
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\instruction	s\n, (\at + 8 * \n)(\base)
	.endr
	.endm

	.macro kept_floats instruction
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
	\instruction	fs\n, (96 + 8 * \n)(sp)
	.endr
	.endm

	/* Clobbers t1. */
	.macro store base
	general	sd, \base
	kept	sd, \base, KEPT
	floats	fsd, \base
	sd	sp, (SP)(\base)
	frcsr	t1
	sd	t1, (FCSR)(\base)
	.endm

	.text
	.globl	registers_call
	.hidden	registers_call
	.type	registers_call, %function
registers_call:
	addi	sp, sp, -(SAVED)
	kept	sd, sp, 0
	kept_floats fsd
	sd	ra, 192(sp)
	sd	a2, 200(sp)			/* got */
	mv	t1, a0
	mv	t3, a1
	floats	fld, t3
	ld	a0, STACK(t3)
	ld	a1, STACK + 8(t3)
	addi	sp, sp, -16
	sd	a0, 0(sp)
	sd	a1, 8(sp)
	sd	sp, SP(t3)
	general	ld, t3
	kept	ld, t3, KEPT
	jalr	t1
	ld	t3, 16 + 200(sp)		/* got */
	store	t3
	addi	sp, sp, 16
	kept_floats fld
	kept	ld, sp, 0
	ld	ra, 192(sp)
	addi	sp, sp, SAVED
	ret
	.size	registers_call, . - registers_call

	.globl	registers_function
	.hidden	registers_function
	.type	registers_function, %function
registers_function:
	lla	t3, registers_arrived
	store	t3
	ld	a0, 0(sp)
	ld	a1, 8(sp)
	sd	a0, STACK(t3)
	sd	a1, STACK + 8(t3)
	lla	t3, registers_results
	floats	fld, t3
	general	ld, t3
	li	t1, -1
	li	t3, -1
	ret
	.size	registers_function, . - registers_function

	.section .note.GNU-stack, "", %progbits
