/* SPDX-License-Identifier: MIT
 *
 * eh_starts.h - the starts of functions according to .eh_frame_hdr, which even a stripped file has.
 */
#ifndef DWELL_SYMBOL_EH_STARTS_H
#define DWELL_SYMBOL_EH_STARTS_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Starts as all zeroes. The table belongs to the Elf. */
struct eh_starts {
	uint64_t address;        /* of the section, to which entries are relative */
	const unsigned char *at; /* pairs of 32-bit numbers, by start: start and description */
	size_t count;
};

/* Leaves it empty without such a section, or if it is not in the form that linkers write. */
void eh_starts_read(struct eh_starts *starts, Elf *elf);

/* Finds the first start behind an address. */
bool eh_starts_next(const struct eh_starts *starts, uint64_t address, uint64_t *start);

/* Finds the last start that is not behind an address. The function's end is unknown.
 */
bool eh_starts_find(const struct eh_starts *starts, uint64_t address, uint64_t *start);

#endif
