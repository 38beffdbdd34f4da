/* SPDX-License-Identifier: MIT
 *
 * syscall.h - entering the kernel on aarch64.
 */
#ifndef DWELL_ARCH_SYSCALL_H
#define DWELL_ARCH_SYSCALL_H

#include <linux/audit.h>

#define ARCH_AUDIT AUDIT_ARCH_AARCH64

/* The flag of an action that names the code which its handler returns to; 0: there is none, and
 * handlers return to the vdso. */
#define ARCH_SA_RESTORER 0x04000000UL

/* Flags that libc adds to every action, and reports (SA_RESTORER). */
#define ARCH_LIBC_SA_FLAGS 0UL

/*
 *   number x8 | arguments x0 x1 x2 x3 x4 x5 | result x0 | nothing else is clobbered
 */
static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory", "cc");
	return x0;
}

#endif
