/* SPDX-License-Identifier: MIT
 *
 * search.h - finds the call frame information of an address. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_SEARCH_H
#define DWELL_UNWIND_SEARCH_H

#include "unwind/fde.h"

/* Finds the FDE for pc in the object that `mapping` is part of: by the sorted table of
 * .eh_frame_hdr, or, without one, by reading .eh_frame from its beginning. Returns 0; -ENOENT: none
 * found; -EINVAL, -EFAULT: the data is invalid or cannot be read. *data serves to read on in the
 * same object. */
int search_fde(const struct memory *memory, const struct mapping *mapping, uintptr_t pc,
	       struct fde *fde, struct unwind_data *data);

/* Fills *data for unwind data at an address. */
void search_data(const struct memory *memory, const struct mapping *mapping, uintptr_t address,
		 struct unwind_data *data);

#endif
