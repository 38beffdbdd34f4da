/* SPDX-License-Identifier: MIT
 *
 * kernel.S - ways into the kernel that C cannot write, on riscv64.
 *
 *	void arch_sigreturn(void);	rt_sigreturn(); never returns
 *
 * On entry sp points at the siginfo of the signal frame, which rt_sigreturn restores whole. The kernel takes no
 * such address from a program: handlers return to the same two instructions in the vdso.
 *
 * libgcc, libunwind and gdb recognise a signal frame by these two instructions, and look only where no call
 * frame information covers the address. This code has none on purpose. Unwinders look a return address up just
 * before it; the leading nop keeps that out of the function that the linker puts in front of this one.
 */
#include "function.h"

	.text
	.p2align 4
	.option	norvc
	nop
FUNCTION(__restore_rt)
	li	a7, 139			/* __NR_rt_sigreturn */
	ecall
FUNCTION_END(__restore_rt)

	.section .note.GNU-stack, "", %progbits
