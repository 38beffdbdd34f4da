/* SPDX-License-Identifier: MIT
 *
 * fde.h - the records of .eh_frame: a CIE holds the common part of many functions, an FDE describes
 * one range of code. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_FDE_H
#define DWELL_UNWIND_FDE_H

#include "unwind/cursor.h"

#define FDE_BYTES_MAX (UINT32_C(1) << 20) /* a longer one is rejected */

struct cie {
	uintptr_t address; /* 0: not read yet */
	uintptr_t program, program_end;
	uint64_t code_factor;
	int64_t data_factor;
	uint8_t pointers;        /* encoding of addresses in its FDEs */
	uint8_t return_register; /* DWARF number, always valid */
	bool sized;              /* FDEs have the length of their augmentation */
	bool signal;             /* frames made by the kernel */
};

/* Invariant, once read: start < end, program <= program_end. */
struct fde {
	uintptr_t address;
	uintptr_t start, end; /* the code it describes */
	uintptr_t program, program_end;
	struct cie cie;
};

/* An object's unwind data: its address and the bases of its pointers. */
struct unwind_data {
	const struct memory *memory;
	uintptr_t end; /* no record reaches beyond */
	struct bases bases;
};

/* Reads the FDE at an address. fde->cie may hold the CIE of another FDE, which saves reading it
 * again; *next is the record after it, even on an error. Returns 0; -ENOENT: it is a CIE; -ERANGE:
 * it is the terminator; -EINVAL: it is invalid; -EFAULT: it cannot be read. */
int fde_read(const struct unwind_data *data, uintptr_t address, struct fde *fde, uintptr_t *next);

#endif
