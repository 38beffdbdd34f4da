/* SPDX-License-Identifier: MIT */
#include "unwind/fde.h"

#include <errno.h>

#include "frame.h"
#include "unwind/dwarf.h"

/* Reads the length at the beginning of a record. Afterwards the cursor ends with the record, and
 * *wide is set if its offsets have 8 bytes. Returns 0 for the terminator. */
static uint64_t enter(struct cursor *cursor, bool *wide)
{
	uint64_t length = cursor_u32(cursor);

	*wide = length == UINT32_MAX;
	if (*wide)
		length = cursor_u64(cursor);
	if (length > cursor->end - cursor->at || length > FDE_BYTES_MAX)
		cursor->bad = true;
	else
		cursor->end = cursor->at + (uintptr_t)length;
	return cursor->bad ? 0 : length;
}

/* Reads the data that each letter of the augmentation behind 'z' adds. Stops at an unknown one: its
 * data can be skipped by length, but its meaning for the frame is unknown. */
static void read_augmentation(struct cursor *cursor, const struct unwind_data *data,
			      struct cie *cie, const char *letters)
{
	uint64_t length = cursor_uleb(cursor);
	uintptr_t end = cursor->at + (uintptr_t)length;

	if (length > cursor->end - cursor->at)
		cursor->bad = true;
	for (; *letters && !cursor->bad; letters++) {
		if (*letters == 'R')
			cie->pointers = cursor_u8(cursor);
		else if (*letters == 'P') {
			uint8_t encoding = cursor_u8(cursor);

			/* The value is not needed, so an indirect pointer is not dereferenced. */
			encoding &= encoding == DW_EH_PE_omit ? 0xff : (uint8_t)~DW_EH_PE_indirect;
			cursor_pointer(cursor, encoding, &data->bases);
		} else if (*letters == 'L')
			cursor_u8(cursor);
		else if (*letters == 'S')
			cie->signal = true;
		else if (*letters != 'B')
			cursor->bad = true;
	}
	if (!cursor->bad && cursor->at <= end)
		cursor_move(cursor, end, cursor->end);
	else
		cursor->bad = true;
}

#define LETTERS_MAX 8

static void read_letters(struct cursor *cursor, char letters[LETTERS_MAX])
{
	unsigned count = 0;

	do {
		letters[count] = (char)cursor_u8(cursor);
	} while (letters[count] && ++count < LETTERS_MAX);
	if (count == LETTERS_MAX)
		cursor->bad = true;
	if (cursor->bad)
		letters[0] = '\0';
}

/* Reads the part before the augmentation's data. */
static void read_factors(struct cursor *cursor, struct cie *cie, uint8_t version)
{
	uint64_t number;

	if (version == 4 && (cursor_u8(cursor) != sizeof(uintptr_t) || cursor_u8(cursor) != 0))
		cursor->bad = true;
	cie->code_factor = cursor_uleb(cursor);
	cie->data_factor = cursor_sleb(cursor);
	number = version == 1 ? cursor_u8(cursor) : cursor_uleb(cursor);
	cie->return_register = (uint8_t)number;
	if (number >= ARCH_FRAME_REGISTERS)
		cursor->bad = true;
}

static int read_cie(const struct unwind_data *data, uintptr_t address, struct cie *cie)
{
	struct cursor cursor;
	char letters[LETTERS_MAX];
	uint8_t version;
	bool wide;

	*cie = (struct cie){ .pointers = DW_EH_PE_absptr };
	cursor_init(&cursor, data->memory, address, data->end);
	if (!enter(&cursor, &wide) || (wide ? cursor_u64(&cursor) : cursor_u32(&cursor)))
		return -EINVAL;
	version = cursor_u8(&cursor);
	if (version != 1 && version != 3 && version != 4)
		return -EINVAL;
	read_letters(&cursor, letters);
	read_factors(&cursor, cie, version);
	cie->sized = letters[0] == 'z';
	if (cie->sized)
		read_augmentation(&cursor, data, cie, letters + 1);
	else if (letters[0])
		return -EINVAL;
	if (cursor.bad)
		return -EINVAL;
	cie->address = address;
	cie->program = cursor.at;
	cie->program_end = cursor.end;
	return 0;
}

/* Reads the part behind the pointer to the CIE. */
static int read_range(const struct unwind_data *data, struct cursor *cursor, struct fde *fde)
{
	const struct bases plain = { 0 };

	fde->start = cursor_pointer(cursor, fde->cie.pointers, &data->bases);
	/* The size is in the same format, but it is not relative to anything. */
	fde->end = fde->start + cursor_pointer(cursor, fde->cie.pointers & DW_EH_PE_format, &plain);
	if (fde->cie.sized)
		cursor_skip(cursor, cursor_uleb(cursor));
	fde->program = cursor->at;
	fde->program_end = cursor->end;
	return cursor->bad || fde->end <= fde->start ? -EINVAL : 0;
}

int fde_read(const struct unwind_data *data, uintptr_t address, struct fde *fde, uintptr_t *next)
{
	struct cursor cursor;
	uintptr_t here;
	uint64_t back;
	bool wide;

	*next = address;
	cursor_init(&cursor, data->memory, address, data->end);
	if (!enter(&cursor, &wide))
		return cursor.bad ? -EFAULT : -ERANGE;
	*next = cursor.end;
	here = cursor.at;
	back = wide ? cursor_u64(&cursor) : cursor_u32(&cursor);
	if (cursor.bad)
		return -EFAULT;
	if (!back)
		return -ENOENT;
	fde->address = address;
	/* A CIE at address 0 would look like one not read yet. */
	if (!fde->cie.address || fde->cie.address != here - back) {
		int err = read_cie(data, here - (uintptr_t)back, &fde->cie);

		if (err)
			return err;
	}
	return read_range(data, &cursor, fde);
}
