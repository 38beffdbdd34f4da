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
 * stores the registers at entry in registers_arrived, loads results from registers_results, and pops its
 * arguments when it returns.
 */
#define EAX   0
#define EBX   4
#define ECX   8
#define EDX   12
#define ESI   16
#define EDI   20
#define EBP   24
#define ESP   28
#define STACK 32	/* two words of arguments */
#define FLAGS 40
#define MXCSR 44
#define FPUCW 48
#define ST0   52	/* 10 bytes each */
#define ST1   64
#define XMM   76	/* 8 of them */

	.macro vectors instruction, base
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	\instruction \base, \n
	.endr
	.endm

	.macro load_vector base, n
	movups	XMM + 16 * \n(\base), %xmm\n
	.endm

	.macro store_vector base, n
	movups	%xmm\n, XMM + 16 * \n(\base)
	.endm

	/* \to = the address of \symbol */
	.macro address symbol, to
	call	9f
9:	pop	\to
	add	$_GLOBAL_OFFSET_TABLE_ + (. - 9b), \to
	lea	\symbol@gotoff(\to), \to
	.endm

	.text
	.globl	registers_call
	.hidden	registers_call
	.type	registers_call, @function
registers_call:
	push	%ebx
	push	%ebp
	push	%esi
	push	%edi
	mov	24(%esp), %ebp			/* given */
	vectors	load_vector, %ebp
	push	STACK + 4(%ebp)
	push	STACK(%ebp)
	mov	%esp, ESP(%ebp)
	push	28(%esp)			/* function */
	push	FLAGS(%ebp)
	mov	EAX(%ebp), %eax
	mov	EBX(%ebp), %ebx
	mov	ECX(%ebp), %ecx
	mov	EDX(%ebp), %edx
	mov	ESI(%ebp), %esi
	mov	EDI(%ebp), %edi
	mov	EBP(%ebp), %ebp
	popf
	lea	4(%esp), %esp
	call	*-4(%esp)			/* no signals are handled here */
	/* The arguments are gone. */
	push	%ebp
	pushf
	mov	36(%esp), %ebp			/* got */
	pop	FLAGS(%ebp)
	pop	EBP(%ebp)
	mov	%esp, ESP(%ebp)
	mov	%eax, EAX(%ebp)
	mov	%ebx, EBX(%ebp)
	mov	%ecx, ECX(%ebp)
	mov	%edx, EDX(%ebp)
	mov	%esi, ESI(%ebp)
	mov	%edi, EDI(%ebp)
	fstpt	ST0(%ebp)
	fstpt	ST1(%ebp)
	vectors	store_vector, %ebp
	stmxcsr	MXCSR(%ebp)
	fnstcw	FPUCW(%ebp)
	pop	%edi
	pop	%esi
	pop	%ebp
	pop	%ebx
	ret
	.size	registers_call, . - registers_call

	.globl	registers_function
	.hidden	registers_function
	.type	registers_function, @function
registers_function:
	pushf
	push	%ebp
	address	registers_arrived, %ebp
	pop	EBP(%ebp)
	pop	FLAGS(%ebp)
	mov	%eax, EAX(%ebp)
	mov	%ebx, EBX(%ebp)
	mov	%ecx, ECX(%ebp)
	mov	%edx, EDX(%ebp)
	mov	%esi, ESI(%ebp)
	mov	%edi, EDI(%ebp)
	lea	4(%esp), %eax
	mov	%eax, ESP(%ebp)
	mov	4(%esp), %eax
	mov	%eax, STACK(%ebp)
	mov	8(%esp), %eax
	mov	%eax, STACK + 4(%ebp)
	vectors	store_vector, %ebp
	stmxcsr	MXCSR(%ebp)
	fnstcw	FPUCW(%ebp)
	push	EBP(%ebp)
	address	registers_results, %ebp
	vectors	load_vector, %ebp
	fldt	ST1(%ebp)
	fldt	ST0(%ebp)
	mov	EAX(%ebp), %eax
	mov	ECX(%ebp), %ecx
	mov	EDX(%ebp), %edx
	push	FLAGS(%ebp)
	popf
	pop	%ebp
	ret	$8
	.size	registers_function, . - registers_function

	.section .note.GNU-stack, "", @progbits
