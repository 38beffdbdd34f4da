/* SPDX-License-Identifier: MIT */
#include "unwind/search.h"

#include <errno.h>

#include "unwind/dwarf.h"

#define RECORDS_MAX 1000000 /* of .eh_frame, at most, read in a search */

/* .eh_frame_hdr. */
struct header {
	uintptr_t frames; /* .eh_frame */
	uintptr_t entries;
	uint64_t entry_count; /* 0: not sorted, or in a form that no linker writes */
};

/* Both relative to the header. */
struct entry {
	int32_t start, fde;
};

void search_data(const struct memory *memory, const struct mapping *mapping, uintptr_t address,
		 struct unwind_data *data)
{
	struct window window = memory_window(memory, address);

	data->memory = memory;
	data->end = window.end;
	/* Not directly readable: read() will find the end. */
	if (window.start == window.end)
		data->end = UINTPTR_MAX;
	data->bases = (struct bases){ .data = mapping->header };
	if (mapping->flags & MAPPING_UNRELOCATED)
		data->bases.absolute = mapping->bias;
}

static int read_header(const struct unwind_data *data, const struct mapping *mapping,
		       struct header *header)
{
	const uint8_t sorted = DW_EH_PE_datarel | DW_EH_PE_sdata4;
	uintptr_t end = mapping->header + mapping->header_bytes;
	uint8_t version, of_frames, of_count, of_entries;
	struct cursor cursor;

	cursor_init(&cursor, data->memory, mapping->header, end);
	version = cursor_u8(&cursor);
	of_frames = cursor_u8(&cursor);
	of_count = cursor_u8(&cursor);
	of_entries = cursor_u8(&cursor);
	header->frames = cursor_pointer(&cursor, of_frames, &data->bases);
	header->entry_count = cursor_pointer(&cursor, of_count, &data->bases);
	header->entries = cursor.at;
	if (cursor.bad)
		return -EFAULT;
	if (version != 1)
		return -EINVAL;
	if (of_entries != sorted || of_count == DW_EH_PE_omit)
		header->entry_count = 0;
	if (header->entry_count > (end - header->entries) / sizeof(struct entry))
		return -EINVAL;
	return 0;
}

static bool entry_at(const struct header *header, struct cursor *cursor, uint64_t i,
		     struct entry *entry)
{
	uintptr_t at = header->entries + (uintptr_t)i * sizeof(*entry);

	cursor_move(cursor, at, at + sizeof(*entry));
	entry->start = (int32_t)cursor_u32(cursor);
	entry->fde = (int32_t)cursor_u32(cursor);
	return !cursor->bad;
}

/* Finds the last entry that does not begin behind pc. */
static int by_entries(const struct unwind_data *data, const struct header *header, uintptr_t pc,
		      struct fde *fde)
{
	uint64_t low = 0, high = header->entry_count;
	uintptr_t base = data->bases.data, next;
	struct cursor cursor;
	struct entry entry;
	int err;

	cursor_init(&cursor, data->memory, header->entries, header->entries);
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!entry_at(header, &cursor, middle, &entry))
			return -EFAULT;
		if (base + (uintptr_t)(intptr_t)entry.start <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return -ENOENT;
	if (!entry_at(header, &cursor, low - 1, &entry))
		return -EFAULT;
	fde->cie.address = 0;
	err = fde_read(data, base + (uintptr_t)(intptr_t)entry.fde, fde, &next);
	if (err)
		return err == -EFAULT ? err : -EINVAL;
	return pc >= fde->start && pc < fde->end ? 0 : -ENOENT;
}

static int by_reading(const struct unwind_data *data, uintptr_t frames, uintptr_t pc,
		      struct fde *fde)
{
	uintptr_t at = frames, next;

	fde->cie.address = 0;
	for (int i = 0; i < RECORDS_MAX && at < data->end; i++, at = next) {
		int err = fde_read(data, at, fde, &next);

		if (!err && pc >= fde->start && pc < fde->end)
			return 0;
		if (err == -ERANGE)
			return -ENOENT;
		if (err == -EFAULT || next <= at)
			return -EFAULT;
	}
	return -ENOENT;
}

int search_fde(const struct memory *memory, const struct mapping *mapping, uintptr_t pc,
	       struct fde *fde, struct unwind_data *data)
{
	struct header header;
	int err;

	if (!mapping->header) {
		if (!mapping->frames)
			return -ENOENT;
		search_data(memory, mapping, mapping->frames, data);
		if (data->end - mapping->frames > mapping->frames_bytes)
			data->end = mapping->frames + mapping->frames_bytes;
		return by_reading(data, mapping->frames, pc, fde);
	}
	search_data(memory, mapping, mapping->header, data);
	err = read_header(data, mapping, &header);
	if (err)
		return err;
	/* An .eh_frame away from its header ends elsewhere too. */
	if (header.frames >= data->end || header.frames < mapping->header)
		search_data(memory, mapping, header.frames, data);
	if (header.entry_count)
		return by_entries(data, &header, pc, fde);
	return by_reading(data, header.frames, pc, fde);
}
