/* SPDX-License-Identifier: MIT
 *
 * arena.S - redirectors, stubs and slots on aarch64, and how to unwind through a stub.
 *
 * A redirector replaces a function for the program. It loads the function's descriptor and jumps to the address
 * in it:
 *
 *	x16	out: struct function of this redirector (a PLT may clobber x16 and x17)
 *
 * A stub belongs to a slot and makes the call that the wrapper has prepared:
 *
 *	x16	in: the function to call; out: struct slot of this stub
 *	x30	in: the stub; the return address is in the slot
 *	sp	the caller's
 *
 * Every stub is the same bytes, and so is every page of redirectors: they can be mapped again anywhere in their
 * part of the arena.
 */
#include "calls_layout.h"
#include "wrapper.h"

	.section .dwell_redirectors, "ax", %progbits
	.p2align 12
	.globl	arch_redirectors
	.hidden	arch_redirectors
	.type	arch_redirectors, %function
arch_redirectors:
	.set	offset, 0
	.rept	FUNCTIONS_FILE
	LANDING_PAD
	adrp	x16, calls_functions + offset
	add	x16, x16, :lo12:calls_functions + offset
	ldr	x17, [x16, #FUNCTION_ENTER]
	br	x17
	.balign	FUNCTION_BYTES, 0
	.set	offset, offset + FUNCTION_BYTES
	.endr
	.size	arch_redirectors, FUNCTIONS_SPACE

	.section .dwell_redirectors_spare, "ax", %nobits
	.zero	FUNCTIONS_SPACE - FUNCTIONS_FILE * FUNCTION_BYTES

	.section .dwell_functions, "a", %nobits
	.p2align 12
	.globl	calls_functions
	.hidden	calls_functions
	.type	calls_functions, %object
calls_functions:
	.zero	FUNCTIONS_SPACE
	.size	calls_functions, FUNCTIONS_SPACE

	.section .dwell_stubs, "ax", %progbits
	.p2align 12
	.globl	arch_stubs
	.hidden	arch_stubs
	.type	arch_stubs, %function
arch_stubs:
	.rept	ARENA_FILE_SLOTS
	LANDING_PAD_OF_JUMPS
	blr	x16
	adr	x30, . - ARCH_STUB_CALL_BYTES		/* for unwinders: see below */
	mov	x17, #ARENA_BYTES
	add	x16, x30, x17
	ldr	x17, [x16, #SLOT_EXIT]
	br	x17
	.balign	SLOT_BYTES, 0
	.endr
	.size	arch_stubs, . - arch_stubs

	.section .dwell_spare, "ax", %nobits
	.zero	ARENA_BYTES - ARENA_FILE_SLOTS * SLOT_BYTES

	.section .dwell_slots, "a", %nobits
	.p2align 12
	.globl	calls_slots
	.hidden	calls_slots
	.type	calls_slots, %object
calls_slots:
	.zero	ARENA_BYTES
	.size	calls_slots, ARENA_BYTES

/*
 * Call frame information of all stubs, present and spare. A stub has no frame: CFA = sp, and the return address
 * is in its slot. The description cannot use the stub's own address, since call frame information on aarch64
 * does not number the program counter. But x30 points into the stub at each of its instructions: the wrapper
 * sets it so, the call does too, and the function returns by it. A function may have signed it, in its upper
 * bits, and an unwinder may find it so. Hence the slot is at (x30 & ADDRESS_OF_STUB) + ARENA_BYTES. The
 * personality is called when an exception passes.
 */
#define ADDRESS_OF_STUB   0x0000ffffffffffff & -SLOT_BYTES
#define DW_CFA_def_cfa    0x0c
#define DW_CFA_expression 0x10
#define DW_OP_const4s     0x0d
#define DW_OP_const8u     0x0e
#define DW_OP_and         0x1a
#define DW_OP_plus        0x22
#define DW_OP_breg30      0x8e
#define DW_REG_X30        30
#define DW_REG_SP         31
#define DW_EH_PE_pcrel_sdata4 0x1b

	.section .eh_frame, "a", %progbits
.Lcie:
	.long	.Lcie_end - .Lcie_start
.Lcie_start:
	.long	0					/* this is a CIE */
	.byte	1					/* version */
	.asciz	"zPR"
	.uleb128 1					/* code alignment */
	.sleb128 -8					/* data alignment */
	.uleb128 DW_REG_X30				/* return address column */
	.uleb128 6					/* augmentation: 6 bytes */
	.byte	DW_EH_PE_pcrel_sdata4
	.long	calls_personality - .
	.byte	DW_EH_PE_pcrel_sdata4			/* of addresses in FDEs */
	.byte	DW_CFA_def_cfa, DW_REG_SP, 0
	.balign	8, 0					/* DW_CFA_nop */
.Lcie_end:
	.long	.Lfde_end - .Lfde_start
.Lfde_start:
	.long	.Lfde_start - .Lcie
	.long	arch_stubs - .
	.long	ARENA_BYTES
	.uleb128 0
	.byte	DW_CFA_expression
	.uleb128 DW_REG_X30
	.uleb128 .Lwhere_end - .Lwhere
.Lwhere:
	.byte	DW_OP_breg30, 0
	.byte	DW_OP_const8u
	.8byte	ADDRESS_OF_STUB
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
	.uleb128 DW_REG_X30
	.uleb128 1					/* augmentation: 1 byte */
	.byte	DW_EH_PE_pcrel_sdata4
	.byte	DW_CFA_def_cfa, DW_REG_SP, 0
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

	.section .note.GNU-stack, "", %progbits
	MARKS
