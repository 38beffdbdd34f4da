/* SPDX-License-Identifier: MIT
 *
 * arena.S - redirectors, stubs and slots on x86-64, and how to unwind through a stub.
 *
 * A redirector replaces a function for the program. It loads the function's descriptor and jumps to the address
 * in it:
 *
 *	r11	out: struct function of this redirector (r11 is the scratch register of a PLT; rax
 *		holds the number of vector arguments and r10 the static chain, so they stay)
 *
 * A stub belongs to a slot and makes the call that the wrapper has prepared:
 *
 *	r11	in: the function to call; out: struct slot of this stub
 *	rsp	the caller's, as it was before its call: the return address is in the slot
 *	-KEPT_RESULT(%rsp) out: what the function left in r11
 *
 * Every stub is the same bytes, and so is every redirector: one page of them can be mapped again anywhere in its
 * part of the arena.
 */
#include "calls_layout.h"
#include "x86/cfi.h"

	.section .dwell_redirectors, "ax", @progbits
	.p2align 12
	.globl	arch_redirectors
	.hidden	arch_redirectors
	.type	arch_redirectors, @function
arch_redirectors:
	.rept	FUNCTIONS_FILE
	endbr64						/* 4 bytes */
	lea	FUNCTIONS_SPACE - 11(%rip), %r11	/* 7 bytes: from its end to the struct function */
	jmp	*FUNCTION_ENTER(%r11)
	.balign	FUNCTION_BYTES, 0xcc
	.endr
	.size	arch_redirectors, FUNCTIONS_SPACE

	.section .dwell_redirectors_spare, "ax", @nobits
	.zero	FUNCTIONS_SPACE - FUNCTIONS_FILE * FUNCTION_BYTES

	.section .dwell_functions, "a", @nobits
	.p2align 12
	.globl	calls_functions
	.hidden	calls_functions
	.type	calls_functions, @object
calls_functions:
	.zero	FUNCTIONS_SPACE
	.size	calls_functions, FUNCTIONS_SPACE

	.section .dwell_stubs, "ax", @progbits
	.p2align 12
	.globl	arch_stubs
	.hidden	arch_stubs
	.type	arch_stubs, @function
arch_stubs:
	.rept	ARENA_FILE_SLOTS
	call	*%r11					/* 3 bytes */
	mov	%r11, -KEPT_RESULT(%rsp)		/* 5 bytes */
	lea	ARENA_BYTES - 15(%rip), %r11		/* 7 bytes: from its end to the stub's slot */
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

/* That of all redirectors: each of their instructions is the first of a function. */
.Lplain_cie:
	.long	.Lplain_cie_end - .Lplain_cie_start
.Lplain_cie_start:
	.long	0
	.byte	1
	.asciz	"zR"
	.uleb128 1
	.sleb128 -8
	.uleb128 DW_REG_RIP
	.uleb128 1					/* augmentation: 1 byte */
	.byte	DW_EH_PE_pcrel_sdata4
	.byte	DW_CFA_def_cfa, DW_REG_RSP, 8
	.byte	DW_CFA_offset + DW_REG_RIP, 1		/* at CFA - 8 */
	.balign	8, 0
.Lplain_cie_end:
	.long	.Lplain_fde_end - .Lplain_fde_start
.Lplain_fde_start:
	.long	.Lplain_fde_start - .Lplain_cie
	.long	arch_redirectors - .
	.long	FUNCTIONS_SPACE
	.uleb128 0
	.balign	8, 0
.Lplain_fde_end:

	.section .note.GNU-stack, "", @progbits
