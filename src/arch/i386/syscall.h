/* SPDX-License-Identifier: MIT
 *
 * syscall.h - entering the kernel on i386; the rest is in kernel.S.
 */
#ifndef DWELL_ARCH_SYSCALL_H
#define DWELL_ARCH_SYSCALL_H

#include <linux/audit.h>

#define ARCH_AUDIT AUDIT_ARCH_I386

/* The flag of an action that names the code which its handler returns to; 0: there is none, and
 * handlers return to the vdso. */
#define ARCH_SA_RESTORER 0x04000000UL

/* Flags that libc adds to every action, and reports (SA_RESTORER): none, where handlers return to
 * the vdso. */
#define ARCH_LIBC_SA_FLAGS 0UL

__attribute__((visibility("hidden"))) long arch_syscall(long nr, long a, long b, long c, long d,
							long e, long f);

#endif
