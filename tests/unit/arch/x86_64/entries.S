/* SPDX-License-Identifier: MIT
 *
 * entries.S - functions whose first instructions are hard to move. Functions named entry_* take a number and return
 * another; functions named refused_* must not be patched.
 */
	.text

.macro function name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

function entry_plain
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	lea	7(%rdi), %rax
	pop	%rbp
	.cfi_def_cfa %rsp, 8
	ret
end entry_plain

function entry_landing_pad
	endbr64
	mov	%rdi, %rax
	add	$3, %rax
	ret
end entry_landing_pad

function entry_relative
	mov	number(%rip), %rax
	add	%rdi, %rax
	ret
end entry_relative

function entry_relative_constant			/* a constant behind the displacement */
	cmpl	$1234, number(%rip)
	sete	%al
	movzbl	%al, %eax
	ret
end entry_relative_constant

function entry_branch
	test	%rdi, %rdi
	js	1f
	lea	(%rdi,%rdi), %rax
	ret
1:	mov	$-1, %rax
	ret
end entry_branch

function entry_call
	sub	$8, %rsp
	.cfi_def_cfa_offset 16
	call	entry_plain
	add	$8, %rsp
	.cfi_def_cfa_offset 8
	ret
end entry_call

function entry_call_first
	call	1f
	add	$1, %rax
	ret
1:	lea	5(%rdi), %rax
	ret
end entry_call_first

function entry_call_pointer
	push	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset %rbx, -16
	call	*pointer(%rip)
	pop	%rbx
	.cfi_def_cfa_offset 8
	ret
end entry_call_pointer

function entry_jump
	jmp	entry_plain
end entry_jump

function entry_jump_pointer
	jmp	*pointer(%rip)
end entry_jump_pointer

function entry_short					/* padding follows */
	mov	%edi, %eax
	ret
end entry_short

function refused_short					/* none follows */
	mov	%edi, %eax
	ret
	.cfi_endproc
	.size	refused_short, . - refused_short
	.globl	entry_behind
	.type	entry_behind, @function
entry_behind:
	.cfi_startproc
	lea	9(%rdi), %rax
	ret
end entry_behind

function refused_before_nops				/* what follows is a function, and not padding */
	mov	%edi, %eax
	ret
	.cfi_endproc
	.size	refused_before_nops, . - refused_before_nops
	.globl	entry_nops
	.type	entry_nops, @function
entry_nops:
	.cfi_startproc
	nop
	nop
	nop
	lea	2(%rdi), %rax
	ret
end entry_nops

function refused_before_data
	mov	%edi, %eax
	ret
end refused_before_data
	.long	0x12345678, 0x12345678

function refused_loop
	dec	%rdi
	cmp	$10, %rdi
	jg	refused_loop
	mov	%rdi, %rax
	ret
end refused_loop

function refused_into
	mov	%rdi, %rax
1:	dec	%rax
	cmp	$10, %rax
	jg	1b
	ret
end refused_into

function refused_switch					/* a table leads to its second instruction */
	mov	%rdi, %rax
.Lagain:
	inc	%rax
	cmp	$100, %rax
	jae	.Lend
	lea	.Ltable(%rip), %rdx
	movslq	(%rdx), %rcx
	add	%rdx, %rcx
	jmp	*%rcx
.Lend:	ret
end refused_switch

/* Its table is behind .Ltable: read from there, it would lead to the second byte of this function. */
function entry_switch
	mov	%rdi, %rax
	mov	%rdi, %rdx
	jmp	.Lselect
	nop
.Leven:	lea	9(%rdi), %rax
	ret
.Lodd:	lea	5(%rdi), %rax
	ret
.Lselect:
	and	$1, %eax
	lea	.Lother(%rip), %rdx
	movslq	(%rdx, %rax, 4), %rcx
	add	%rdx, %rcx
	jmp	*%rcx
end entry_switch

function refused_counter
	jrcxz	1f
	mov	%rdi, %rax
	ret
1:	xor	%eax, %eax
	ret
end refused_counter

function refused_stack					/* entered with something else on the stack */
	.cfi_def_cfa_offset 24
	mov	%rdi, %rax
	add	$16, %rsp
	.cfi_def_cfa_offset 8
	ret
end refused_stack

function refused_part.cold
	mov	%rdi, %rax
	add	$1, %rax
	ret
end refused_part.cold

	.p2align 4
	.type	refused_private, @function
refused_private:
	lea	1(%rdi), %rax
	ret
	nop
	.size	refused_private, . - refused_private

	.section .rodata
	.p2align 2
.Ltable:
	.long	.Lagain - .Ltable
	.long	.Lend - .Ltable
.Lother:
	.long	.Leven - .Lother
	.long	.Lodd - .Lother

	.data
	.p2align 3
number:	.quad	1234
pointer: .quad	entry_plain
	.quad	entry_relative			/* stored, but its code depends on its place */

	.section .note.GNU-stack, "", @progbits
