/* SPDX-License-Identifier: MIT
 *
 * handler.S - the entry of signal handlers on i386; x86_64/handler.S explains it.
 *
 *	void arch_handler(int sig, siginfo_t *info, void *uc);
 *
 *	esp	the signal frame: the return address, and the three arguments
 *	eax edx ecx	the arguments once more
 *
 *	ebx esp of the signal frame | esi handler_stacks | edi word
 */
#include "function.h"
#include "handler_layout.h"

	.text
	.p2align 4
FUNCTION(arch_handler)
	.cfi_startproc
	.cfi_signal_frame
	mov	%esp, %ebx
	.cfi_def_cfa %ebx, 4
	call	.Lhere				/* the only word pushed there */
.Lhere:
	pop	%esi
	lea	handler_stacks - .Lhere(%esi), %esi
	mov	(%esi), %edi			/* first */
.Lnext:
	cmp	4(%esi), %edi			/* end */
	jae	.Lpass_on
	mov	$1, %ebp
	xchg	%ebp, (%edi)
	test	%ebp, %ebp
	jz	.Ltaken
	add	$HANDLER_STACK_BYTES, %edi
	jmp	.Lnext
.Ltaken:
	mov	%edi, %esp
	sub	$4, %esp			/* so that esp is a multiple of 16 at the call */
	push	%ecx
	push	%edx
	push	%eax
	call	signals_tick
	mov	%ebx, %esp
	movl	$0, (%edi)
	test	%al, %al
	jz	.Lpass_on
	ret
.Lpass_on:
	jmp	signals_pass_on			/* its arguments are where the kernel put them */
	.cfi_endproc
FUNCTION_END(arch_handler)

	.section .note.GNU-stack, "", @progbits
