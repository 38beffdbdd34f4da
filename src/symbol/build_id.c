/* SPDX-License-Identifier: MIT */
#include "symbol/build_id.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>

/* Finds the note among those of a segment. */
static struct build_id find_note(Elf_Data *data)
{
	struct build_id id = { 0 };
	GElf_Nhdr note;
	size_t offset = 0, name, text;

	while (!id.size && (offset = gelf_getnote(data, offset, &note, &name, &text))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof("GNU") ||
		    memcmp((const char *)data->d_buf + name, "GNU", sizeof("GNU")) != 0)
			continue;
		id.size = note.n_descsz < BUILD_ID_BYTES ? note.n_descsz : BUILD_ID_BYTES;
		memcpy(id.bytes, (const char *)data->d_buf + text, id.size);
	}
	return id;
}

struct build_id build_id_of(Elf *elf)
{
	struct build_id id = { 0 };
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return id;
	for (size_t i = 0; i < count && !id.size; i++) {
		GElf_Phdr segment;
		Elf_Data *data;

		if (!gelf_getphdr(elf, (int)i, &segment) || segment.p_type != PT_NOTE)
			continue;
		data = elf_getdata_rawchunk(elf, (int64_t)segment.p_offset, segment.p_filesz,
					    segment.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
		if (data && data->d_buf)
			id = find_note(data);
	}
	return id;
}

bool build_id_same(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

const char *build_id_print(char text[BUILD_ID_TEXT], const struct build_id *id)
{
	text[0] = '\0';
	for (size_t i = 0; i < id->size && i < BUILD_ID_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x", id->bytes[i]);
	return text;
}
