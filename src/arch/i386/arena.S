/* SPDX-License-Identifier: MIT
 *
 * arena.S - redirectors, stubs and slots on i386, and how to unwind through a stub.
 *
 * A redirector replaces a function for the program. Every register may hold an argument (regparm, fastcall, the
 * static chain) or must be preserved, and no instruction can address data relative to itself. So a redirector
 * calls its next instruction for its own address, a form that CPUs expect no return of, and jumps to the address in
 * its function:
 *
 *	eax	out: the redirector's address + 9
 *	0(esp)	out: eax
 *	4(esp)	out: the redirector's address + 9
 *	8(esp)	the return address
 *
 * A stub belongs to a slot. The wrapper has left its address on the stack where the return address was, one
 * byte behind the start, so that unwinders, which look before a return address, find the stub as well. The
 * function returns there; the stub puts the return address back on the stack and jumps to the address in its
 * slot:
 *
 *	eax	out: struct slot
 *	0(esp)	out: ecx
 *	4(esp)	out: eax
 *	8(esp)	out: the return address
 *
 * It finds its slot by its own address, which it gets from a call of the next instruction; CPUs do not expect a
 * return from that. Every stub is the same bytes, so that one page of them can be mapped again anywhere in the
 * arena.
 */
#include "calls_layout.h"

	.section .dwell_redirectors, "ax", @progbits
	.p2align 12
	.globl	arch_redirectors
	.hidden	arch_redirectors
	.type	arch_redirectors, @function
arch_redirectors:
	.rept	FUNCTIONS_FILE
	endbr32						/* 0 */
	.byte	0xe8, 0, 0, 0, 0			/* 4: call the next, for its address */
	push	%eax					/* 9 */
	mov	4(%esp), %eax				/* 10: the redirector's + 9 */
	jmp	*FUNCTIONS_SPACE - 9 + FUNCTION_ENTER(%eax)
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
	nop						/* 0 */
	.byte	0xe8, 0, 0, 0, 0			/* 1: call the next, for its address */
	push	%eax					/* 6 */
	push	%ecx					/* 7 */
	mov	8(%esp), %eax				/* 8: the stub's + 6 */
	mov	ARENA_BYTES - 6 + SLOT_RETURN(%eax), %ecx
	mov	%ecx, 8(%esp)
	lea	ARENA_BYTES - 6(%eax), %eax
	jmp	*SLOT_EXIT(%eax)
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
 * Call frame information of all stubs, present and spare. A stub has no frame except for the words it pushes:
 * CFA = esp + 4 * ((p >= 6) + (p >= 7) + (p >= 8)), where p is the offset in the stub. The return address is in
 * its slot, at (pc & -SLOT_BYTES) + ARENA_BYTES. The personality is called when an exception passes.
 */
#define DW_CFA_def_cfa            0x0c
#define DW_CFA_def_cfa_expression 0x0f
#define DW_CFA_expression         0x10
#define DW_CFA_offset             0x80
#define DW_OP_const1s             0x09
#define DW_OP_const4s             0x0d
#define DW_OP_and                 0x1a
#define DW_OP_plus                0x22
#define DW_OP_shl                 0x24
#define DW_OP_ge                  0x2a
#define DW_OP_lit0                0x30
#define DW_OP_breg4               0x74
#define DW_OP_breg8               0x78
#define DW_REG_ESP                4
#define DW_REG_EIP                8
#define DW_EH_PE_pcrel_sdata4     0x1b

/* 1 if the offset in the stub, or the redirector, is not before that, else 0 */
#define IS_PAST(place, bytes) DW_OP_breg8, 0, DW_OP_const1s, bytes - 1, DW_OP_and, DW_OP_lit0 + place, DW_OP_ge
#define IS_FROM(place)        IS_PAST(place, SLOT_BYTES)

	.section .eh_frame, "a", @progbits
.Lcie:
	.long	.Lcie_end - .Lcie_start
.Lcie_start:
	.long	0					/* this is a CIE */
	.byte	1					/* version */
	.asciz	"zPR"
	.uleb128 1					/* code alignment */
	.sleb128 -4					/* data alignment */
	.uleb128 DW_REG_EIP				/* return address column */
	.uleb128 6					/* augmentation: 6 bytes */
	.byte	DW_EH_PE_pcrel_sdata4
	.long	calls_personality - .
	.byte	DW_EH_PE_pcrel_sdata4			/* of addresses in FDEs */
	.byte	DW_CFA_def_cfa, DW_REG_ESP, 0
	.balign	4, 0					/* DW_CFA_nop */
.Lcie_end:
	.long	.Lfde_end - .Lfde_start
.Lfde_start:
	.long	.Lfde_start - .Lcie
	.long	arch_stubs - .
	.long	ARENA_BYTES
	.uleb128 0
	.byte	DW_CFA_def_cfa_expression
	.uleb128 .Lframe_end - .Lframe
.Lframe:
	.byte	DW_OP_breg4, 0
	.byte	IS_FROM(6), IS_FROM(7), DW_OP_plus, IS_FROM(8), DW_OP_plus
	.byte	DW_OP_lit0 + 2, DW_OP_shl, DW_OP_plus
.Lframe_end:
	.byte	DW_CFA_expression
	.uleb128 DW_REG_EIP
	.uleb128 .Lwhere_end - .Lwhere
.Lwhere:
	.byte	DW_OP_breg8, 0
	.byte	DW_OP_const1s, -SLOT_BYTES
	.byte	DW_OP_and
	.byte	DW_OP_const4s
	.long	ARENA_BYTES
	.byte	DW_OP_plus
.Lwhere_end:
	.balign	4, 0
.Lfde_end:

/* That of all redirectors: CFA = esp + 4 * (1 + (p >= 9) + (p >= 10)), where p is the offset in the redirector. */
.Lplain_cie:
	.long	.Lplain_cie_end - .Lplain_cie_start
.Lplain_cie_start:
	.long	0
	.byte	1
	.asciz	"zR"
	.uleb128 1
	.sleb128 -4
	.uleb128 DW_REG_EIP
	.uleb128 1					/* augmentation: 1 byte */
	.byte	DW_EH_PE_pcrel_sdata4
	.byte	DW_CFA_def_cfa, DW_REG_ESP, 4
	.byte	DW_CFA_offset + DW_REG_EIP, 1		/* at CFA - 4 */
	.balign	4, 0
.Lplain_cie_end:
	.long	.Lplain_fde_end - .Lplain_fde_start
.Lplain_fde_start:
	.long	.Lplain_fde_start - .Lplain_cie
	.long	arch_redirectors - .
	.long	FUNCTIONS_SPACE
	.uleb128 0
	.byte	DW_CFA_def_cfa_expression
	.uleb128 .Lplain_frame_end - .Lplain_frame
.Lplain_frame:
	.byte	DW_OP_breg4, 4
	.byte	IS_PAST(9, FUNCTION_BYTES), IS_PAST(10, FUNCTION_BYTES), DW_OP_plus
	.byte	DW_OP_lit0 + 2, DW_OP_shl, DW_OP_plus
.Lplain_frame_end:
	.balign	4, 0
.Lplain_fde_end:

	.section .note.GNU-stack, "", @progbits
