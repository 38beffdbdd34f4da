/* SPDX-License-Identifier: MIT */
#include "symbol/eh_starts.h"

#include <gelf.h>
#include <string.h>

#include "base/bisect.h"

/* The head of .eh_frame_hdr, as all linkers write it: the table is relative to the section, of
 * signed 32-bit numbers. */
struct head {
	uint8_t version;        /* 1 */
	uint8_t frame_encoding; /* relative to itself, 32 bits */
	uint8_t count_encoding; /* 32 bits, unsigned */
	uint8_t table_encoding;
	int32_t frame;
	uint32_t count;
};

enum { ENCODED_UDATA4 = 0x03, ENCODED_PCREL_SDATA4 = 0x1b, ENCODED_DATAREL_SDATA4 = 0x3b };

#define ENTRY_BYTES 8

static void read_table(struct eh_starts *starts, const Elf_Data *data, uint64_t address)
{
	struct head head;

	if (data->d_size < sizeof(head))
		return;
	memcpy(&head, data->d_buf, sizeof(head));
	if (head.version != 1 || head.frame_encoding != ENCODED_PCREL_SDATA4 ||
	    head.count_encoding != ENCODED_UDATA4 || head.table_encoding != ENCODED_DATAREL_SDATA4)
		return;
	if (head.count > (data->d_size - sizeof(head)) / ENTRY_BYTES)
		return;
	*starts = (struct eh_starts){ .address = address,
				      .at = (const unsigned char *)data->d_buf + sizeof(head),
				      .count = head.count };
}

void eh_starts_read(struct eh_starts *starts, Elf *elf)
{
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_GNU_EH_FRAME)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    ELF_T_BYTE);
		if (data && data->d_buf)
			read_table(starts, data, segment.p_vaddr);
	}
}

static uint64_t start_at(const void *in, size_t i)
{
	const struct eh_starts *starts = in;
	int32_t relative;

	memcpy(&relative, starts->at + i * ENTRY_BYTES, sizeof(relative));
	return starts->address + (uint64_t)(int64_t)relative;
}

/* Returns how many do not begin behind an address. */
static size_t count_before(const struct eh_starts *starts, uint64_t address)
{
	return bisect(start_at, starts, starts->count, address);
}

bool eh_starts_find(const struct eh_starts *starts, uint64_t address, uint64_t *start)
{
	size_t before = count_before(starts, address);

	if (before)
		*start = start_at(starts, before - 1);
	return before;
}

bool eh_starts_next(const struct eh_starts *starts, uint64_t address, uint64_t *start)
{
	size_t before = count_before(starts, address);

	if (before < starts->count)
		*start = start_at(starts, before);
	return before < starts->count;
}
