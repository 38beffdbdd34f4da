/* SPDX-License-Identifier: MIT
 *
 * pg_functions.S - registers_function as compilers would have built it with -pg: they save what they need around the
 * call of _mcount, and pass it the return address. They have no -mfentry for this CPU.
 */
	.macro saved load, float
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\load	a\n, (8 * \n)(sp)
	\float	fa\n, (64 + 8 * \n)(sp)
	.endr
	\load	t2, 128(sp)
	\load	ra, 136(sp)
	.endm

	.text
	.globl	pg_function
	.hidden	pg_function
	.type	pg_function, %function
pg_function:
	addi	sp, sp, -144
	saved	sd, fsd
	mv	a0, ra
	call	_mcount
	saved	ld, fld
	addi	sp, sp, 144
	tail	registers_function
	.size	pg_function, . - pg_function

	.section .note.GNU-stack, "", %progbits
