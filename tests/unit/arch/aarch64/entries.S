/* SPDX-License-Identifier: MIT
 *
 * entries.S - functions whose first instructions are hard to move. Functions named entry_* take a number and return
 * another; functions named refused_* must not be patched.
 */
	.arch	armv8.3-a
	.text

.macro function name
	.p2align 4
	.globl	\name
	.type	\name, %function
\name:
	.cfi_startproc
.endm

.macro end name
	.cfi_endproc
	.size	\name, . - \name
.endm

function entry_plain
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	mov	x29, sp
	add	x0, x0, #7
	mov	x1, #1
	ldp	x29, x30, [sp], #16
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
end entry_plain

function entry_landing_pad
	hint	34					/* bti c */
	adrp	x1, number
	add	x0, x0, #3
	ret
end entry_landing_pad

function entry_relative
	adr	x1, 1f
	ldr	w1, [x1]
	add	x0, x0, x1
	ret
1:	.word	4321
end entry_relative

function entry_page
	adrp	x1, number
	ldr	x1, [x1, #:lo12:number]
	add	x0, x0, x1
	ret
end entry_page

function entry_literal
	ldr	x1, 1f
	add	x0, x0, x1
	ret
1:	.8byte	0x123456789abcdef
end entry_literal

function entry_literal_short
	ldr	w1, 1f
	add	x0, x0, x1
	ret
1:	.word	-3
end entry_literal_short

function entry_literal_signed
	ldrsw	x1, 1f
	add	x0, x0, x1
	ret
1:	.word	-3
end entry_literal_signed

function entry_branch
	b.eq	1f
	b	2f
1:	nop
2:	cmp	x0, #1
	cset	x0, gt
	adr	x1, 1b
	ret
end entry_branch

function entry_compare
	cbnz	x0, 1f
	mov	x0, #77
	ret
1:	add	x0, x0, #2
	adr	x1, 1b
	ret
end entry_compare

function entry_compare_short
	cbz	w0, 1f
	mov	x0, #77
	adr	x1, 1f
	ret
1:	add	x0, x0, #2
	ret
end entry_compare_short

function entry_bit
	tbnz	x0, #63, 1f
	mov	x0, #78
	adr	x1, 1f
	ret
1:	add	x0, x0, #2
	ret
end entry_bit

function entry_call
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	bl	entry_plain
	ldp	x29, x30, [sp], #16
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	ret
end entry_call

function entry_jump
	b	entry_plain
end entry_jump

function entry_short					/* padding follows */
	mov	w0, w0
	ret
end entry_short

function refused_short					/* none follows */
	mov	w0, w0
	ret
	.cfi_endproc
	.size	refused_short, . - refused_short
	.globl	entry_behind
	.type	entry_behind, %function
entry_behind:
	.cfi_startproc
	adr	x1, entry_behind
	add	x0, x0, #9
	ret
end entry_behind

function entry_nops
	nop
	nop
	nop
	add	x0, x0, #2
	ret
end entry_nops

function entry_signed
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, #-16]!
	.cfi_def_cfa_offset 16
	.cfi_offset x29, -16
	.cfi_offset x30, -8
	bl	entry_plain
	ldp	x29, x30, [sp], #16
	.cfi_restore x29
	.cfi_restore x30
	.cfi_def_cfa_offset 0
	autiasp
	.cfi_negate_ra_state
	ret
end entry_signed

function entry_pad_and_signed
	hint	34
	paciasp
	.cfi_negate_ra_state
	adrp	x1, number
	add	x0, x0, #4
	autiasp
	.cfi_negate_ra_state
	ret
end entry_pad_and_signed

function refused_before_data
	mov	w0, w0
	ret
end refused_before_data
	.long	0x12345678, 0x12345678

function refused_keeping				/* as rawmemchr() of glibc 2.36 */
	mov	x15, x30
	.cfi_register x30, x15
	bl	entry_nops
	add	x0, x0, #1
	ret	x15
end refused_keeping

function refused_loop
	sub	x0, x0, #1
	cmp	x0, #10
	b.gt	refused_loop
	ret
end refused_loop

function refused_loop_behind_pad
	hint	34
1:	sub	x0, x0, #1
	cmp	x0, #10
	b.gt	1b
	ret
end refused_loop_behind_pad

function refused_into					/* the short jump would fit, but not one that can be copied */
	mov	x1, x0
1:	sub	x0, x0, #1
	cmp	x0, #10
	b.gt	1b
	ret
end refused_into

function refused_vector
	ldr	q0, 1f
	fmov	x0, d0
	ret
	nop
1:	.8byte	1, 2
end refused_vector

	.variant_pcs refused_variant
function refused_variant
	adrp	x1, number
	ret
end refused_variant

function refused_key
	hint	27					/* pacibsp */
	adrp	x1, number
	hint	31					/* autibsp */
	ret
end refused_key

function refused_trap
	brk	#1
	adrp	x1, number
	ret
end refused_trap

function refused_call					/* its return address is gone then */
	bl	entry_plain
	b	refused_trap
end refused_call

function refused_call_pointer
	blr	x1
	b	refused_trap
end refused_call_pointer

function refused_stack					/* entered with something else on the stack */
	.cfi_def_cfa_offset 16
	add	sp, sp, #16
	.cfi_def_cfa_offset 0
	ret
end refused_stack

function refused_part.cold
	mov	x1, x0
	adrp	x2, number
	ret
end refused_part.cold

	.p2align 4
	.type	refused_private, %function
refused_private:
	add	x0, x0, #1
	ret
	nop
	nop
	.size	refused_private, . - refused_private

	.data
	.p2align 3
number:	.quad	1234
pointer: .quad	entry_plain
	.quad	entry_relative			/* stored, but its code depends on its place */
	.quad	refused_short, refused_before_data, refused_into

	.section .note.GNU-stack, "", %progbits
