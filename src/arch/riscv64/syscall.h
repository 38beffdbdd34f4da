/* SPDX-License-Identifier: MIT
 *
 * syscall.h - entering the kernel on riscv64.
 */
#ifndef DWELL_ARCH_SYSCALL_H
#define DWELL_ARCH_SYSCALL_H

#include <linux/audit.h>

#define ARCH_AUDIT AUDIT_ARCH_RISCV64

/* The kernel's structure for an action has no restorer here: handlers return to the vdso. */
#define ARCH_SA_RESTORER 0UL

/* Flags that libc adds to every action, and reports. */
#define ARCH_LIBC_SA_FLAGS 0UL

/*
 *   number a7 | arguments a0 a1 a2 a3 a4 a5 | result a0 | no other general register is clobbered;
 *   vector registers are, and no code that calls this has any
 */
static inline long arch_syscall(long nr, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = nr;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;

	__asm__ volatile("ecall"
			 : "+r"(a0)
			 : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5)
			 : "memory");
	return a0;
}

#endif
