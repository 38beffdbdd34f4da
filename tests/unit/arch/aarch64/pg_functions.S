/* SPDX-License-Identifier: MIT
 *
 * pg_functions.S - registers_function as compilers would have built it with -pg: they save what they need around the
 * call of _mcount, and pass it the return address. They have no -mfentry for this CPU.
 */
	.altmacro
	.macro vectors instruction, first, second
	\instruction	q\first, q\second, [sp, #112 + 16 * \first]
	.endm

	.macro saved instruction
	\instruction	x0, x1, [sp, #16]
	\instruction	x2, x3, [sp, #32]
	\instruction	x4, x5, [sp, #48]
	\instruction	x6, x7, [sp, #64]
	\instruction	x8, x18, [sp, #80]
	.irp	n, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
	vectors	\instruction, \n, %(\n + 1)
	.endr
	.endm

	.text
	.globl	pg_function
	.hidden	pg_function
	.type	pg_function, %function
pg_function:
	hint	#34				/* bti c */
	sub	sp, sp, #624
	stp	x29, x30, [sp]
	mov	x29, sp
	saved	stp
	mov	x0, x30
	bl	_mcount
	saved	ldp
	ldp	x29, x30, [sp]
	add	sp, sp, #624
	b	registers_function
	.size	pg_function, . - pg_function

	.section .note.GNU-stack, "", %progbits
