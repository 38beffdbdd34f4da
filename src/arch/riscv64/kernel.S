/* SPDX-License-Identifier: MIT
 *
 * kernel.S - ways into the kernel that C cannot write, on riscv64, and functions that compilers call.
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

/*
 * CPUs have atomic operations on 4 and 8 bytes. gcc before 13 leaves those on less to libatomic, which would become
 * a library of every program that is recorded. These are all that we have, by the names that gcc calls:
 *
 *	uint8_t __atomic_exchange_1(uint8_t *at, uint8_t value, int order)
 *	bool __atomic_compare_exchange_2(uint16_t *at, uint16_t *expected, uint16_t value, int order, int order_else)
 *
 *	t0 position of the first bit in the word | t1 mask of the bits | t2 word | t3 its bits | t4 new word
 */
FUNCTION(__atomic_exchange_1)
	.cfi_startproc
	andi	t0, a0, 3
	slli	t0, t0, 3
	andi	a0, a0, -4
	li	t1, 0xff
	and	a1, a1, t1
	sll	t1, t1, t0
	sll	a1, a1, t0
1:	lr.w.aqrl t2, (a0)
	xor	t4, t2, a1
	and	t4, t4, t1
	xor	t4, t4, t2
	sc.w.aqrl t5, t4, (a0)
	bnez	t5, 1b
	and	t3, t2, t1
	srl	a0, t3, t0
	ret
	.cfi_endproc
FUNCTION_END(__atomic_exchange_1)

FUNCTION(__atomic_compare_exchange_2)
	.cfi_startproc
	andi	t0, a0, 2
	slli	t0, t0, 3
	andi	a0, a0, -4
	li	t1, 0xffff
	and	a2, a2, t1
	lhu	t6, 0(a1)
	sll	t1, t1, t0
	sll	a2, a2, t0
	sll	t6, t6, t0
1:	lr.w.aqrl t2, (a0)
	and	t3, t2, t1
	bne	t3, t6, 2f
	xor	t4, t2, a2
	and	t4, t4, t1
	xor	t4, t4, t2
	sc.w.aqrl t5, t4, (a0)
	bnez	t5, 1b
	li	a0, 1
	ret
2:	srl	t3, t3, t0
	sh	t3, 0(a1)
	li	a0, 0
	ret
	.cfi_endproc
FUNCTION_END(__atomic_compare_exchange_2)

/*
 * CPUs count leading and trailing zeroes only by an extension, so compilers call libgcc, whose functions have a table, and
 * find it by an address that is relocated. Ours are called before that.
 *
 *	int __clzdi2(uint64_t value)
 *	int __ctzdi2(uint64_t value)
 *
 * Halve the part of value that is looked at: a1 is the number of zeroes found so far.
 */
.macro zeroes name, look, drop
FUNCTION(\name)
	.cfi_startproc
	li	a1, 0
	.irp	bits, 32, 16, 8, 4, 2, 1
	\look	t0, a0, 64 - \bits
	bnez	t0, 1f
	addi	a1, a1, \bits
	\drop	a0, a0, \bits
1:
	.endr
	mv	a0, a1
	ret
	.cfi_endproc
FUNCTION_END(\name)
.endm
	zeroes	__clzdi2, srli, slli
	zeroes	__ctzdi2, slli, srli

	.section .note.GNU-stack, "", %progbits
