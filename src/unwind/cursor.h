/* SPDX-License-Identifier: MIT
 *
 * cursor.h - reads unwind data from front to back. Once it has met the end, or what cannot be read,
 * it is `bad` and answers 0; so one question at the end of a series is enough. Async-signal-safe.
 */
#ifndef DWELL_UNWIND_CURSOR_H
#define DWELL_UNWIND_CURSOR_H

#include "unwind/memory.h"
#include "unwind/objects.h"

#define CURSOR_AHEAD 64 /* bytes read at once where each read is a system call */

/* Invariant: at <= end. */
struct cursor {
	const struct memory *memory;
	uintptr_t at, end;
	struct window window; /* in which bytes can be read directly */
	bool bad;
	uint8_t ahead_bytes; /* of ahead[], which holds what is at ahead_at */
	uintptr_t ahead_at;
	uint8_t ahead[CURSOR_AHEAD];
};

/* Up to end, or as far as there is something directly readable around it. */
void cursor_init(struct cursor *cursor, const struct memory *memory, uintptr_t at, uintptr_t end);

/* To another place of the same data. */
void cursor_move(struct cursor *cursor, uintptr_t at, uintptr_t end);
void cursor_skip(struct cursor *cursor, uint64_t bytes);

uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);
uint64_t cursor_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);
uintptr_t cursor_word(struct cursor *cursor);

/* What pointers in unwind data may be relative to. */
struct bases {
	uintptr_t data;     /* .eh_frame_hdr */
	uintptr_t function; /* that an FDE is of */
	uintptr_t absolute; /* the bias, if pointers have not been relocated */
};

/* A pointer in one of the encodings DW_EH_PE_*; 0 for one that is left out. */
uintptr_t cursor_pointer(struct cursor *cursor, uint8_t encoding, const struct bases *bases);

#endif
