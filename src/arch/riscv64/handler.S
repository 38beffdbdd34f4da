/* SPDX-License-Identifier: MIT
 *
 * handler.S - the entry of signal handlers on riscv64; x86_64/handler.S explains it.
 *
 *	void arch_handler(int sig, siginfo_t *info, void *uc);
 *
 *	sp	the signal frame
 *	ra	rt_sigreturn() of the vdso
 *
 *	s0 sp of the signal frame | s1 ra | s2 sig | s3 info | s4 uc | s5 word | s6 end
 */
#include "function.h"
#include "handler_layout.h"

	.text
	.p2align 4
FUNCTION(arch_handler)
	.cfi_startproc
	.cfi_signal_frame
	mv	s0, sp
	.cfi_def_cfa s0, 0
	mv	s1, ra
	.cfi_register ra, s1
	mv	s2, a0
	mv	s3, a1
	mv	s4, a2
	lla	s6, handler_stacks
	ld	s5, 0(s6)			/* first */
	ld	s6, 8(s6)			/* end */
	li	t0, 1
	li	t2, HANDLER_STACK_BYTES
.Lnext:
	bgeu	s5, s6, .Lpass_on
	amoswap.w.aq t1, t0, (s5)
	beqz	t1, .Ltaken
	add	s5, s5, t2
	j	.Lnext
.Ltaken:
	mv	sp, s5
	call	signals_tick
	mv	sp, s0
	amoswap.w.rl zero, zero, (s5)
	andi	a0, a0, 1
	beqz	a0, .Lpass_on
	jr	s1
.Lpass_on:
	mv	a0, s2
	mv	a1, s3
	mv	a2, s4
	mv	ra, s1
	.cfi_restore ra
	tail	signals_pass_on
	.cfi_endproc
FUNCTION_END(arch_handler)

	.section .note.GNU-stack, "", %progbits
