/* SPDX-License-Identifier: MIT
 *
 * cursor.h - reads unwind data from front to back. After the end, or unreadable memory, it is `bad`
 * and returns 0; so one check at the end of a series is enough. Async-signal-safe.
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
	struct window window; /* bytes in it can be read directly */
	bool bad;
	uint8_t ahead_bytes; /* of ahead[], a copy of the bytes at ahead_at */
	uintptr_t ahead_at;
	uint8_t ahead[CURSOR_AHEAD];
};

/* Starts a cursor that ends at `end`, or where the directly readable memory around `at` ends. */
void cursor_init(struct cursor *cursor, const struct memory *memory, uintptr_t at, uintptr_t end);

/* Moves to another place of the same data. */
void cursor_move(struct cursor *cursor, uintptr_t at, uintptr_t end);
void cursor_skip(struct cursor *cursor, uint64_t bytes);

uint8_t cursor_u8(struct cursor *cursor);
uint16_t cursor_u16(struct cursor *cursor);
uint32_t cursor_u32(struct cursor *cursor);
uint64_t cursor_u64(struct cursor *cursor);
uint64_t cursor_uleb(struct cursor *cursor);
int64_t cursor_sleb(struct cursor *cursor);
uintptr_t cursor_word(struct cursor *cursor);

/* Bases of relative pointers in unwind data. */
struct bases {
	uintptr_t data;     /* .eh_frame_hdr */
	uintptr_t function; /* of an FDE */
	uintptr_t absolute; /* the bias, if pointers have not been relocated */
};

/* Reads a pointer in one of the encodings DW_EH_PE_*; 0 for one that is omitted. */
uintptr_t cursor_pointer(struct cursor *cursor, uint8_t encoding, const struct bases *bases);

#endif
