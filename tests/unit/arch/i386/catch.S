/* SPDX-License-Identifier: MIT
 *
 * catch.S - a function that catches exceptions, which C cannot express.
 *
 *	void *catch(void (*function)(void *), void *argument)
 *
 * calls function(argument), and returns NULL, or the exception thrown by it. Its personality is in
 * test_escape.c: it catches everything, and lands at catch_landing with the exception in eax.
 */
	.text
	.globl	catch
	.hidden	catch
	.type	catch, @function
catch:
	.cfi_startproc
	.cfi_personality 0x1b, catch_personality	/* relative to here, 4 bytes */
	push	%ebx
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %ebx, 0
	sub	$8, %esp
	.cfi_adjust_cfa_offset 8
	mov	$0x1234, %ebx				/* checks that unwinding restores it */
	pushl	20(%esp)
	.cfi_adjust_cfa_offset 4
	call	*20(%esp)
	xor	%eax, %eax
	.globl	catch_landing
	.hidden	catch_landing
catch_landing:
	add	$12, %esp
	.cfi_adjust_cfa_offset -12
	cmp	$0x1234, %ebx
	jne	.Lspoilt
	pop	%ebx
	.cfi_remember_state
	.cfi_adjust_cfa_offset -4
	.cfi_restore %ebx
	ret
	.cfi_restore_state
.Lspoilt:
	ud2
	.cfi_endproc
	.size	catch, . - catch

	.section .note.GNU-stack, "", @progbits
