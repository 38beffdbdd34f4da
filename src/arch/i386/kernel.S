/* SPDX-License-Identifier: MIT
 *
 * kernel.S - ways into the kernel that C cannot write, on i386.
 *
 *	long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
 *
 *	number eax | arguments ebx ecx edx esi edi ebp | result eax | nothing else is clobbered
 *
 * Uses the vdso's entry for this CPU, which libc stores at %gs:16 of every thread before any code of ours runs.
 * int $0x80 works everywhere, but takes some ten times as long. C cannot change ebp and still describe its
 * frame to unwinders.
 *
 *	void arch_sigreturn(void);	rt_sigreturn(), where signal handlers return to; never returns
 *
 * On entry the handler's ret has taken the return address off the signal frame, which begins with the handler's
 * three arguments: esp points at them, and rt_sigreturn expects just that.
 *
 * libgcc and libunwind recognise a signal frame by these seven bytes (b8 ad 00 00 00 cd 80), and look only
 * where no call frame information covers the address. This code has none on purpose. Unwinders look a return
 * address up one byte before it; the leading nop keeps that byte out of the function that the linker puts in
 * front of this one. gdb goes by the name.
 */
#include "function.h"

	.text
	.p2align 4
	nop
FUNCTION(__restore_rt)
	mov	$173, %eax		/* __NR_rt_sigreturn */
	int	$0x80
FUNCTION_END(__restore_rt)


/* 20(esp) is nr, and the others are behind it. */
	.p2align 4
FUNCTION(arch_syscall)
	.cfi_startproc
	.irp	register, ebp, edi, esi, ebx
	push	%\register
	.cfi_adjust_cfa_offset 4
	.cfi_rel_offset %\register, 0
	.endr
	mov	20(%esp), %eax
	mov	24(%esp), %ebx
	mov	28(%esp), %ecx
	mov	32(%esp), %edx
	mov	36(%esp), %esi
	mov	40(%esp), %edi
	mov	44(%esp), %ebp
	call	*%gs:16
	.irp	register, ebx, esi, edi, ebp
	pop	%\register
	.cfi_adjust_cfa_offset -4
	.cfi_restore %\register
	.endr
	ret
	.cfi_endproc
FUNCTION_END(arch_syscall)

	.section .note.GNU-stack, "", @progbits
