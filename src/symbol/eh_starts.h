/* SPDX-License-Identifier: MIT
 *
 * eh_starts.h - where functions begin, by .eh_frame_hdr: a stripped file has that too.
 */
#ifndef DWELL_SYMBOL_EH_STARTS_H
#define DWELL_SYMBOL_EH_STARTS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as all zeroes. The table belongs to the Elf. */
struct eh_starts {
	uint64_t address;        /* of the section, which entries are relative to */
	const unsigned char *at; /* pairs of 32-bit numbers, by start: start and description */
	size_t count;
};

/* Leaves it empty if there is none, or none of the one form that linkers make. */
void eh_starts_read(struct eh_starts *starts, Elf *elf);

/* The first start that is behind an address. */
bool eh_starts_next(const struct eh_starts *starts, uint64_t address, uint64_t *start);

/* The last start that is not behind an address. Whether that function reaches as far is not told.
 */
bool eh_starts_find(const struct eh_starts *starts, uint64_t address, uint64_t *start);

#endif
