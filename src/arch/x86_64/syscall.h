/* SPDX-License-Identifier: MIT
 *
 * syscall.h - entering the kernel on x86-64.
 */
#ifndef DWELL_ARCH_SYSCALL_H
#define DWELL_ARCH_SYSCALL_H

#include <linux/audit.h>

#define ARCH_AUDIT AUDIT_ARCH_X86_64

/* The flag of an action that names the code which its handler returns to; 0: there is none, and
 * handlers return to the vdso. */
#define ARCH_SA_RESTORER 0x04000000UL

/* Flags that libc adds to every action, and reports (SA_RESTORER). */
#define ARCH_LIBC_SA_FLAGS 0x04000000UL

/*
 *   number rax | arguments rdi rsi rdx r10 r8 r9 | result rax | clobbered rcx (rip), r11 (rflags)
 */
static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return result;
}

#endif
