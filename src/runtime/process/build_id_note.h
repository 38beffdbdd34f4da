/* SPDX-License-Identifier: MIT
 *
 * build_id_note.h - finds the build-id among the notes of a mapped file. Any context.
 */
#ifndef DWELL_RUNTIME_PROCESS_BUILD_ID_NOTE_H
#define DWELL_RUNTIME_PROCESS_BUILD_ID_NOTE_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>

#define BUILD_ID_NOTE_BYTES 20 /* as in recordings */

/*
 * Copies the build-id; returns its size, or 0 if there is none. Notes are a name and a description,
 * each rounded up to 4 bytes.
 */
static inline uint32_t build_id_note_find(const char *notes, size_t size,
					  uint8_t id[BUILD_ID_NOTE_BYTES])
{
	size_t at = 0;

	while (size - at > sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		size_t name = at + sizeof(note), description;

		__builtin_memcpy(&note, notes + at, sizeof(note));
		if (note.n_namesz > size || note.n_descsz > size)
			return 0;
		description = name + (note.n_namesz + 3) / 4 * 4;
		at = description + (note.n_descsz + 3) / 4 * 4;
		if (at > size)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    note.n_descsz <= BUILD_ID_NOTE_BYTES && notes[name] == 'G') {
			for (uint32_t i = 0; i < note.n_descsz; i++)
				id[i] = (uint8_t)notes[description + i];
			return note.n_descsz;
		}
	}
	return 0;
}

#endif
