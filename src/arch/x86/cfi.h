/* SPDX-License-Identifier: MIT
 *
 * cfi.h - the codes of call frame information that assembly for x86-64 writes by hand.
 */
#ifndef DWELL_ARCH_X86_CFI_H
#define DWELL_ARCH_X86_CFI_H

#define DW_CFA_def_cfa        0x0c
#define DW_CFA_expression     0x10
#define DW_CFA_offset         0x80
#define DW_OP_deref           0x06
#define DW_OP_const1u         0x08
#define DW_OP_const1s         0x09
#define DW_OP_const4s         0x0d
#define DW_OP_and             0x1a
#define DW_OP_minus           0x1c
#define DW_OP_plus            0x22
#define DW_OP_breg16          0x80
#define DW_REG_RSP            7
#define DW_REG_RIP            16
#define DW_EH_PE_pcrel_sdata4 0x1b

#define BYTES_OF_WORD(n) (n) & 0xff, (n) >> 8 & 0xff, (n) >> 16 & 0xff, (n) >> 24 & 0xff

#endif
