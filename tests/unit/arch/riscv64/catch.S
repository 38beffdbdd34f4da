/* SPDX-License-Identifier: MIT
 *
 * catch.S - a function that catches exceptions, which C cannot express.
 *
 *	void *catch(void (*function)(void *), void *argument)
 *
 * calls function(argument), and returns NULL, or the exception thrown by it. Its personality is in
 * test_escape.c: it catches everything, and lands at catch_landing with the exception in a0.
 */
	.text
	.globl	catch
	.hidden	catch
	.type	catch, %function
catch:
	.cfi_startproc
	.cfi_personality 0x1b, catch_personality	/* relative to here, 4 bytes */
	addi	sp, sp, -16
	.cfi_def_cfa_offset 16
	sd	ra, 8(sp)
	.cfi_offset ra, -8
	sd	s1, 0(sp)
	.cfi_offset s1, -16
	li	s1, 0x123				/* checks that unwinding restores it */
	mv	t1, a0
	mv	a0, a1
	jalr	t1
	li	a0, 0
	.globl	catch_landing
	.hidden	catch_landing
catch_landing:
	li	t1, 0x123
	bne	t1, s1, .Lspoilt
	ld	s1, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	.cfi_remember_state
	.cfi_def_cfa_offset 0
	.cfi_restore s1
	.cfi_restore ra
	ret
	.cfi_restore_state
.Lspoilt:
	ebreak
	.cfi_endproc
	.size	catch, . - catch

	.section .note.GNU-stack, "", %progbits
