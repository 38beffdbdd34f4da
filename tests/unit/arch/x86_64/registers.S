/* SPDX-License-Identifier: MIT
 *
 * registers.S - a caller and a function that together check every register that a call may use.
 *
 *	void registers_call(void *function, struct registers *given, struct registers *got)
 *
 * loads registers for arguments and preserved ones from *given, calls the function and stores registers for
 * results and preserved ones into *got.
 *
 *	registers_function
 *
 * stores the registers at entry in registers_arrived, loads results from registers_results, and clobbers all
 * that a function may clobber.
 */
#define RAX   0
#define RBX   8
#define RCX   16
#define RDX   24
#define RSI   32
#define RDI   40
#define RBP   48
#define RSP   56
#define R8    64
#define R9    72
#define R10   80
#define R12   88
#define R13   96
#define R14   104
#define R15   112
#define STACK 120	/* two words of arguments */
#define ST0   136	/* 10 bytes each */
#define ST1   152
#define XMM   168	/* 16 of them */
#define MXCSR 424
#define FPUCW 428

	.macro vectors instruction, base
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\instruction \base, \n
	.endr
	.endm

	.macro load_vector base, n
	movups	XMM + 16 * \n(\base), %xmm\n
	.endm

	.macro store_vector base, n
	movups	%xmm\n, XMM + 16 * \n(\base)
	.endm

	.macro zero_vector base, n
	xorps	%xmm\n, %xmm\n
	.endm

	.text
	.globl	registers_call
	.hidden	registers_call
	.type	registers_call, @function
registers_call:
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	push	%rdx				/* got */
	push	%rdi				/* function */
	sub	$8, %rsp
	mov	%rsi, %r11
	vectors	load_vector, %r11
	push	STACK + 8(%r11)
	push	STACK(%r11)
	mov	RAX(%r11), %rax
	mov	RBX(%r11), %rbx
	mov	RCX(%r11), %rcx
	mov	RDX(%r11), %rdx
	mov	RSI(%r11), %rsi
	mov	RDI(%r11), %rdi
	mov	RBP(%r11), %rbp
	mov	R8(%r11), %r8
	mov	R9(%r11), %r9
	mov	R10(%r11), %r10
	mov	R12(%r11), %r12
	mov	R13(%r11), %r13
	mov	R14(%r11), %r14
	mov	R15(%r11), %r15
	mov	%rsp, RSP(%r11)
	call	*24(%rsp)
	mov	32(%rsp), %r11			/* got */
	mov	%rsp, RSP(%r11)
	mov	%rax, RAX(%r11)
	mov	%rbx, RBX(%r11)
	mov	%rdx, RDX(%r11)
	mov	%rbp, RBP(%r11)
	mov	%r12, R12(%r11)
	mov	%r13, R13(%r11)
	mov	%r14, R14(%r11)
	mov	%r15, R15(%r11)
	fstpt	ST0(%r11)
	fstpt	ST1(%r11)
	vectors	store_vector, %r11
	stmxcsr	MXCSR(%r11)
	fnstcw	FPUCW(%r11)
	add	$24, %rsp
	pop	%rdi
	pop	%rdx
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.size	registers_call, . - registers_call

	.globl	registers_function
	.hidden	registers_function
	.type	registers_function, @function
registers_function:
	lea	registers_arrived(%rip), %r11
	mov	%rax, RAX(%r11)
	mov	%rbx, RBX(%r11)
	mov	%rcx, RCX(%r11)
	mov	%rdx, RDX(%r11)
	mov	%rsi, RSI(%r11)
	mov	%rdi, RDI(%r11)
	mov	%rbp, RBP(%r11)
	mov	%r8, R8(%r11)
	mov	%r9, R9(%r11)
	mov	%r10, R10(%r11)
	mov	%r12, R12(%r11)
	mov	%r13, R13(%r11)
	mov	%r14, R14(%r11)
	mov	%r15, R15(%r11)
	lea	8(%rsp), %rax
	mov	%rax, RSP(%r11)
	mov	8(%rsp), %rax
	mov	%rax, STACK(%r11)
	mov	16(%rsp), %rax
	mov	%rax, STACK + 8(%r11)
	vectors	store_vector, %r11
	stmxcsr	MXCSR(%r11)
	fnstcw	FPUCW(%r11)
	lea	registers_results(%rip), %r11
	vectors	load_vector, %r11
	fldt	ST1(%r11)
	fldt	ST0(%r11)
	mov	RAX(%r11), %rax
	mov	RDX(%r11), %rdx
	mov	$-1, %rcx
	mov	%rcx, %rsi
	mov	%rcx, %rdi
	mov	%rcx, %r8
	mov	%rcx, %r9
	mov	%rcx, %r10
	mov	%rcx, %r11
	ret
	.size	registers_function, . - registers_function

	.section .note.GNU-stack, "", @progbits
