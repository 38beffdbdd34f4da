/* SPDX-License-Identifier: MIT
 *
 * catch.S - a function that catches exceptions, which C cannot express.
 *
 *	void *catch(void (*function)(void *), void *argument)
 *
 * calls function(argument), and returns NULL, or the exception thrown by it. Its personality is in
 * test_escape.c: it catches everything, and lands at catch_landing with the exception in x0.
 */
	.text
	.globl	catch
	.hidden	catch
	.type	catch, %function
catch:
	.cfi_startproc
	.cfi_personality 0x1b, catch_personality	/* relative to here, 4 bytes */
	hint	#34					/* bti c */
	stp	x29, x30, [sp, #-32]!
	.cfi_adjust_cfa_offset 32
	.cfi_offset x29, -32
	.cfi_offset x30, -24
	mov	x29, sp
	str	x19, [sp, #16]
	.cfi_offset x19, -16
	mov	x19, #0x1234				/* checks that unwinding restores it */
	mov	x16, x0
	mov	x0, x1
	blr	x16
	mov	x0, #0
	.globl	catch_landing
	.hidden	catch_landing
catch_landing:
	hint	#38					/* bti jc */
	mov	x16, #0x1234
	cmp	x16, x19
	b.ne	.Lspoilt
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	.cfi_remember_state
	.cfi_adjust_cfa_offset -32
	.cfi_restore x19
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_restore_state
.Lspoilt:
	brk	#1
	.cfi_endproc
	.size	catch, . - catch

	.section .note.GNU-stack, "", %progbits
