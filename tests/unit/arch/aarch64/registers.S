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
#define X     0		/* x0-x15 */
#define X18   128
#define KEPT  136	/* x19-x29 */
#define SP    224
#define STACK 232	/* two words of arguments */
#define FPCR  248
#define Q     256	/* 32 of them */

	.altmacro
	.macro pair instruction, base, first, second
	\instruction	x\first, x\second, [\base, #X + 8 * \first]
	.endm

	.macro general instruction, base
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14
	pair	\instruction, \base, \n, %(\n + 1)
	.endr
	.endm

	.macro vector instruction, base, first, second
	\instruction	q\first, q\second, [\base, #Q + 16 * \first]
	.endm

	.macro vectors instruction, base
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	vector	\instruction, \base, \n, %(\n + 1)
	.endr
	.endm

	.macro kept instruction, base
	\instruction	x19, x20, [\base, #KEPT]
	\instruction	x21, x22, [\base, #KEPT + 16]
	\instruction	x23, x24, [\base, #KEPT + 32]
	\instruction	x25, x26, [\base, #KEPT + 48]
	\instruction	x27, x28, [\base, #KEPT + 64]
	.endm

	.text
	.globl	registers_call
	.hidden	registers_call
	.type	registers_call, %function
registers_call:
	stp	x29, x30, [sp, #-176]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	str	x2, [sp, #160]			/* got */
	mov	x16, x0
	mov	x17, x1
	vectors	ldp, x17
	ldp	x0, x1, [x17, #STACK]
	stp	x0, x1, [sp, #-16]!
	mov	x0, sp
	str	x0, [x17, #SP]
	general	ldp, x17
	ldr	x18, [x17, #X18]
	kept	ldp, x17
	ldr	x29, [x17, #KEPT + 80]
	blr	x16
	ldr	x16, [sp, #176]			/* got */
	general	stp, x16
	str	x18, [x16, #X18]
	kept	stp, x16
	str	x29, [x16, #KEPT + 80]
	vectors	stp, x16
	mov	x17, sp
	str	x17, [x16, #SP]
	mrs	x17, fpcr
	str	x17, [x16, #FPCR]
	add	sp, sp, #16
	ldp	d14, d15, [sp, #144]
	ldp	d12, d13, [sp, #128]
	ldp	d10, d11, [sp, #112]
	ldp	d8, d9, [sp, #96]
	ldp	x27, x28, [sp, #80]
	ldp	x25, x26, [sp, #64]
	ldp	x23, x24, [sp, #48]
	ldp	x21, x22, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #176
	ret
	.size	registers_call, . - registers_call

	.globl	registers_function
	.hidden	registers_function
	.type	registers_function, %function
registers_function:
	hint	#34				/* bti c */
	adrp	x16, registers_arrived
	add	x16, x16, :lo12:registers_arrived
	general	stp, x16
	str	x18, [x16, #X18]
	kept	stp, x16
	str	x29, [x16, #KEPT + 80]
	vectors	stp, x16
	mov	x17, sp
	str	x17, [x16, #SP]
	mrs	x17, fpcr
	str	x17, [x16, #FPCR]
	ldp	x0, x1, [sp]
	stp	x0, x1, [x16, #STACK]
	adrp	x16, registers_results
	add	x16, x16, :lo12:registers_results
	vectors	ldp, x16
	general	ldp, x16
	ldr	x18, [x16, #X18]
	mov	x16, #-1
	mov	x17, #-1
	ret
	.size	registers_function, . - registers_function

	.section .note.GNU-stack, "", %progbits
