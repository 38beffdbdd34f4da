/* SPDX-License-Identifier: MIT
 *
 * pg_functions.S - registers_function as compilers would have built it with -pg, and with -pg -mfentry.
 */
	.text
	.globl	pg_function
	.hidden	pg_function
	.type	pg_function, @function
pg_function:
	push	%ebp
	mov	%esp, %ebp
	call	mcount
	pop	%ebp
	jmp	registers_function
	.size	pg_function, . - pg_function

	.globl	fentry_function
	.hidden	fentry_function
	.type	fentry_function, @function
fentry_function:
	call	__fentry__
	jmp	registers_function
	.size	fentry_function, . - fentry_function

	.section .note.GNU-stack, "", @progbits
