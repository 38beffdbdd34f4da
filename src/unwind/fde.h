/* SPDX-License-Identifier: MIT
 *
 * fde.h - the records of .eh_frame: a CIE says what many functions have in common, an FDE is about
 * one range of code. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_FDE_H
#define DWELL_UNWIND_FDE_H

#include "unwind/cursor.h"

#define FDE_BYTES_MAX (UINT32_C(1) << 20) /* a longer one is not believed */

struct cie {
	uintptr_t address; /* 0: not read yet */
	uintptr_t program, program_end;
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t pointers;        /* encoding of addresses in its FDEs */
	uint8_t return_register; /* DWARF number; always one there is */
	bool sized;              /* FDEs tell how much augmentation they have */
	bool signal;             /* these are frames that the kernel has made */
};

/* Invariant, once read: start < end, program <= program_end. */
struct fde {
	uintptr_t address;
	uintptr_t start, end; /* the code it is about */
	uintptr_t program, program_end;
	struct cie cie;
};

/* An object's unwind data: where it is and what its pointers are relative to. */
struct unwind_data {
	const struct memory *memory;
	uintptr_t end; /* no record reaches beyond */
	struct bases bases;
};

/*
 * The FDE at an address. fde->cie may be that of another one, which saves reading it again; *next
 * is where the record after it is, also if there is an error. 0; -ENOENT: it is a CIE; -ERANGE: it
 * is the terminator; -EINVAL: it makes no sense; -EFAULT: it cannot be read.
 */
int fde_read(const struct unwind_data *data, uintptr_t address, struct fde *fde, uintptr_t *next);

#endif
