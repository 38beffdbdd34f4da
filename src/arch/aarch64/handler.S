/* SPDX-License-Identifier: MIT
 *
 * handler.S - the entry of signal handlers on aarch64; x86_64/handler.S explains it.
 *
 *	void arch_handler(int sig, siginfo_t *info, void *uc);
 *
 *	sp	the signal frame
 *	x30	arch_sigreturn
 *
 *	x19 sp of the signal frame | x20 x30 | w21 sig | x22 info | x23 uc | x24 word | x25 end
 */
#include "function.h"
#include "handler_layout.h"
#include "wrapper.h"

	.text
	.p2align 4
FUNCTION(arch_handler)
	.cfi_startproc
	.cfi_signal_frame
	LANDING_PAD
	mov	x19, sp
	.cfi_def_cfa x19, 0
	mov	x20, x30
	.cfi_register x30, x20
	mov	w21, w0
	mov	x22, x1
	mov	x23, x2
	adrp	x24, handler_stacks
	add	x24, x24, :lo12:handler_stacks
	ldp	x24, x25, [x24]			/* first, end */
.Lnext:
	cmp	x24, x25
	b.hs	.Lpass_on
	mov	w9, #1
.Lagain:
	ldaxr	w10, [x24]
	cbnz	w10, .Lbusy
	stxr	w11, w9, [x24]
	cbnz	w11, .Lagain
	mov	sp, x24
	bl	signals_tick
	mov	sp, x19
	stlr	wzr, [x24]
	tbz	w0, #0, .Lpass_on
	ret	x20
.Lbusy:
	clrex
	add	x24, x24, #HANDLER_STACK_BYTES
	b	.Lnext
.Lpass_on:
	mov	w0, w21
	mov	x1, x22
	mov	x2, x23
	mov	x30, x20
	.cfi_restore x30
	b	signals_pass_on
	.cfi_endproc
FUNCTION_END(arch_handler)

	.section .note.GNU-stack, "", %progbits
	MARKS
