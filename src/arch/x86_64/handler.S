/* SPDX-License-Identifier: MIT
 *
 * handler.S - the entry of signal handlers on x86-64.
 *
 *	void arch_handler(int sig, siginfo_t *info, void *uc);
 *
 *	rsp	the signal frame, on the stack that the kernel chose: it may be full but for that frame, so
 *		nothing is pushed there
 *
 *	for (word = handler_stacks.first; word < handler_stacks.end; word += HANDLER_STACK_BYTES)
 *		if (!atomic_exchange(word, 1)) {
 *			bool done = [on the stack below word] signals_tick(sig, info, uc);
 *			*word = 0;
 *			if (done)
 *				return;
 *			break;
 *		}
 *	signals_pass_on(sig, info, uc);		in place of this function, as if the kernel had called it
 *
 *	rbx rsp of the signal frame | ebp sig | r12 info | r13 uc | r14 word
 *
 * rt_sigreturn restores all registers, so none is saved. The frame is marked as a signal frame because
 * debuggers accept a caller on another stack only there.
 */
#include "function.h"
#include "handler_layout.h"

	.section .text.hot, "ax", @progbits	/* see tick_path.h */
	.p2align 4
FUNCTION(arch_handler)
	.cfi_startproc
	.cfi_signal_frame
	endbr64
	mov	%rsp, %rbx
	.cfi_def_cfa %rbx, 8
	mov	%edi, %ebp
	mov	%rsi, %r12
	mov	%rdx, %r13
	mov	handler_stacks(%rip), %r14		/* first */
.Lnext:
	cmp	handler_stacks + 8(%rip), %r14	/* end */
	jae	.Lpass_on
	mov	$1, %eax
	xchg	%eax, (%r14)
	test	%eax, %eax
	jz	.Ltaken
	add	$HANDLER_STACK_BYTES, %r14
	jmp	.Lnext
.Ltaken:
	mov	%r14, %rsp
	call	signals_tick
	mov	%rbx, %rsp
	movl	$0, (%r14)
	test	%al, %al
	jz	.Lpass_on
	ret
.Lpass_on:
	mov	%ebp, %edi
	mov	%r12, %rsi
	mov	%r13, %rdx
	jmp	signals_pass_on
	.cfi_endproc
FUNCTION_END(arch_handler)

	.section .note.GNU-stack, "", @progbits
