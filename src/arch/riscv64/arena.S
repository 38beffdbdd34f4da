/* SPDX-License-Identifier: MIT
 *
 * arena.S - redirectors, stubs and slots on riscv64, and how to unwind through a stub.
 *
 * A redirector replaces a function for the program. It loads the function's descriptor and jumps to the address
 * in it:
 *
 *	t3	out: struct function of this redirector (a PLT clobbers t1 and t3)
 *
 * A stub belongs to a slot and makes the call that the wrapper has prepared:
 *
 *	t3	in: the function to call; out: struct slot of this stub
 *	ra	in: the stub; the return address is in the slot
 *	sp	the caller's
 *
 * Every stub is the same bytes, and so is every redirector: one page of them can be mapped again anywhere in its
 * part of the arena. So instructions are neither compressed nor relaxed.
 */
#include "calls_layout.h"

	.option	norvc
	.option	norelax

	.section .dwell_redirectors, "ax", %progbits
	.p2align 12
	.globl	arch_redirectors
	.hidden	arch_redirectors
	.type	arch_redirectors, %function
arch_redirectors:
	.rept	FUNCTIONS_FILE
	auipc	t3, FUNCTIONS_SPACE >> 12		/* from here to the struct function */
	ld	t1, FUNCTION_ENTER(t3)
	jr	t1
	.zero	FUNCTION_BYTES - 12
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
	jalr	t3
	auipc	ra, 0					/* for unwinders: see below */
	auipc	t3, ARENA_BYTES >> 12			/* from here to 8 bytes behind the slot */
	addi	t3, t3, -8
	ld	t1, SLOT_EXIT(t3)
	jr	t1
	.zero	SLOT_BYTES - 24
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
 * is in its slot. The description cannot use the stub's own address, since call frame information on riscv64
 * does not number the program counter. But ra points into the stub at each of its instructions: the wrapper
 * sets it so, the call does too, and the function returns by it, or by another register and the stub sets it
 * again. Hence the slot is at (ra & -SLOT_BYTES) + ARENA_BYTES. The personality is called when an exception
 * passes.
 */
#define DW_CFA_def_cfa    0x0c
#define DW_CFA_expression 0x10
#define DW_OP_const1s     0x09
#define DW_OP_const4s     0x0d
#define DW_OP_and         0x1a
#define DW_OP_plus        0x22
#define DW_OP_breg1       0x71
#define DW_REG_RA         1
#define DW_REG_SP         2
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
	.uleb128 DW_REG_RA				/* return address column */
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
	.uleb128 DW_REG_RA
	.byte	11					/* .Lwhere_end - .Lwhere: as does not compute it here */

	.byte	DW_OP_breg1, 0
	.byte	DW_OP_const1s, -SLOT_BYTES
	.byte	DW_OP_and
	.byte	DW_OP_const4s
	.long	ARENA_BYTES
	.byte	DW_OP_plus

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
	.uleb128 DW_REG_RA
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
