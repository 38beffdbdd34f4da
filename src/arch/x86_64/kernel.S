/* SPDX-License-Identifier: MIT
 *
 * kernel.S - ways into the kernel that C cannot write, on x86-64.
 *
 *	void arch_sigreturn(void);	rt_sigreturn(), where signal handlers return to; never returns
 *
 * On entry rsp points at the ucontext of the signal frame, which rt_sigreturn restores whole.
 *
 * libgcc and libunwind recognise a signal frame by these nine bytes (48 c7 c0 0f 00 00 00 0f 05), and look only
 * where no call frame information covers the address. This code has none on purpose. Unwinders look a return
 * address up one byte before it; the leading nop keeps that byte out of the function that the linker puts in
 * front of this one. gdb goes by the name.
 */
#include "function.h"

	.section .text.hot, "ax", @progbits	/* beside the handler: see tick_path.h */
	.p2align 4
	nop
FUNCTION(__restore_rt)
	mov	$15, %rax		/* __NR_rt_sigreturn */
	syscall
FUNCTION_END(__restore_rt)

	.section .note.GNU-stack, "", @progbits
