/* SPDX-License-Identifier: MIT
 *
 * arena.S - redirectors, stubs and slots on x86-64, and how to unwind through a stub.
 *
 * A redirector replaces a function for the program. It loads the function's descriptor and jumps to the address
 * in it:
 *
 *	r11	out: struct function of this redirector
 *	-8(%rsp) out: what was in r11
 *
 * A stub belongs to a slot and makes the call that the wrapper has prepared:
 *
 *	rsp	the caller's, as it was before its call: the return address is in the slot
 *	-24(%rsp) in: the function to call
 *	r11	out: struct slot of this stub
 *	-16(%rsp) out: what was in r11 when the function returned
 *
 * Every stub is the same bytes, so that one page of them can be mapped again anywhere in the arena.
 */
#include "calls_layout.h"
#include "x86/cfi.h"

	.text
	.p2align 12
	.globl	arch_redirectors
	.hidden	arch_redirectors
	.type	arch_redirectors, @function
arch_redirectors:
	.cfi_startproc
	.set	offset, 0
	.rept	FUNCTIONS_MAX
	endbr64
	mov	%r11, -8(%rsp)
	lea	calls_functions + offset(%rip), %r11
	jmp	*FUNCTION_ENTER(%r11)
	.balign	FUNCTION_BYTES, 0xcc
	.set	offset, offset + FUNCTION_BYTES
	.endr
	.cfi_endproc
	.size	arch_redirectors, . - arch_redirectors

	.section .dwell_stubs, "ax", @progbits
	.p2align 12
	.globl	arch_stubs
	.hidden	arch_stubs
	.type	arch_stubs, @function
arch_stubs:
	.rept	ARENA_FILE_SLOTS
	call	*-24(%rsp)				/* 4 bytes */
	mov	%r11, -16(%rsp)				/* 5 bytes */
	lea	ARENA_BYTES - 16(%rip), %r11		/* 7 bytes: from the stub's end to its slot */
	jmp	*SLOT_EXIT(%r11)
	.balign	SLOT_BYTES, 0xcc
	.endr
	.size	arch_stubs, . - arch_stubs

	.section .dwell_spare, "ax", @nobits
	.zero	ARENA_BYTES - ARENA_FILE_SLOTS * SLOT_BYTES

	.section .dwell_slots, "a", @nobits
	.p2align 12
	.globl	calls_slots
	.hidden	calls_slots
	.type	calls_slots, @object
calls_slots:
	.zero	ARENA_BYTES
	.size	calls_slots, ARENA_BYTES

/*
 * Call frame information of all stubs, present and spare. A stub has no frame: CFA = rsp, and the return
 * address is in its slot, at (pc & -SLOT_BYTES) + ARENA_BYTES. The personality is called when an exception
 * passes.
 */
	.section .eh_frame, "a", @progbits
.Lcie:
	.long	.Lcie_end - .Lcie_start
.Lcie_start:
	.long	0					/* this is a CIE */
	.byte	1					/* version */
	.asciz	"zPR"
	.uleb128 1					/* code alignment */
	.sleb128 -8					/* data alignment */
	.uleb128 DW_REG_RIP				/* return address column */
	.uleb128 6					/* augmentation: 6 bytes */
	.byte	DW_EH_PE_pcrel_sdata4
	.long	calls_personality - .
	.byte	DW_EH_PE_pcrel_sdata4			/* of addresses in FDEs */
	.byte	DW_CFA_def_cfa, DW_REG_RSP, 0
	.balign	8, 0					/* DW_CFA_nop */
.Lcie_end:
	.long	.Lfde_end - .Lfde_start
.Lfde_start:
	.long	.Lfde_start - .Lcie
	.long	arch_stubs - .
	.long	ARENA_BYTES
	.uleb128 0
	.byte	DW_CFA_expression
	.uleb128 DW_REG_RIP
	.uleb128 .Lwhere_end - .Lwhere
.Lwhere:
	.byte	DW_OP_breg16, 0
	.byte	DW_OP_const1s, -SLOT_BYTES
	.byte	DW_OP_and
	.byte	DW_OP_const4s
	.long	ARENA_BYTES
	.byte	DW_OP_plus
.Lwhere_end:
	.balign	8, 0
.Lfde_end:

	.section .note.GNU-stack, "", @progbits
