/* SPDX-License-Identifier: MIT
 *
 * search.h - finds the call frame information of an address. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_SEARCH_H
#define DWELL_UNWIND_SEARCH_H

#include "unwind/fde.h"

/*
 * The FDE of the object that `mapping` is part of that is about pc: by the sorted table of
 * .eh_frame_hdr, or, where there is none, by reading .eh_frame from its beginning. 0; -ENOENT:
 * there is none; -EINVAL, -EFAULT: the data makes no sense or cannot be read. *data is for reading
 * on in the same object.
 */
int search_fde(const struct memory *memory, const struct mapping *mapping, uintptr_t pc,
	       struct fde *fde, struct unwind_data *data);

/* *data for unwind data at an address. */
void search_data(const struct memory *memory, const struct mapping *mapping, uintptr_t address,
		 struct unwind_data *data);

#endif
