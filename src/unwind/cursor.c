/* SPDX-License-Identifier: MIT */
#include "unwind/cursor.h"

#include "unwind/dwarf.h"

void cursor_init(struct cursor *cursor, const struct memory *memory, uintptr_t at, uintptr_t end)
{
	cursor->memory = memory;
	cursor->window = memory_window(memory, at);
	cursor->ahead_bytes = 0;
	cursor->ahead_at = 0;
	cursor->bad = false;
	cursor_move(cursor, at, end);
}

void cursor_move(struct cursor *cursor, uintptr_t at, uintptr_t end)
{
	cursor->at = at;
	cursor->end = end;
	cursor->bad = cursor->bad || end < at;
}

void cursor_skip(struct cursor *cursor, uint64_t bytes)
{
	if (cursor->bad || bytes > cursor->end - cursor->at)
		cursor->bad = true;
	else
		cursor->at += (uintptr_t)bytes;
}

/* Fills ahead[] with the next bytes: as many as fit, or just `size` if that many cannot be read. */
static bool fill(struct cursor *cursor, size_t size)
{
	const struct memory *memory = cursor->memory;
	size_t left = cursor->end - cursor->at, ahead = left < CURSOR_AHEAD ? left : CURSOR_AHEAD;

	cursor->ahead_bytes = 0;
	if (!memory->read(memory->context, cursor->at, cursor->ahead, ahead)) {
		ahead = size;
		if (!memory->read(memory->context, cursor->at, cursor->ahead, ahead))
			return false;
	}
	cursor->ahead_at = cursor->at;
	cursor->ahead_bytes = (uint8_t)ahead;
	return true;
}

/* Returns where the next bytes, at most 8, can be read here; NULL: nowhere. */
static const uint8_t *next(struct cursor *cursor, size_t size)
{
	uintptr_t at = cursor->at;

	if (cursor->bad || size > cursor->end - at) {
		cursor->bad = true;
		return NULL;
	}
	if (window_holds(&cursor->window, at, size)) {
		cursor->at += size;
		return (const uint8_t *)(at + cursor->window.shift);
	}
	if (at < cursor->ahead_at || at - cursor->ahead_at + size > cursor->ahead_bytes)
		cursor->bad = !fill(cursor, size);
	if (cursor->bad)
		return NULL;
	cursor->at += size;
	return cursor->ahead + (at - cursor->ahead_at);
}

#define READER(name, type)                                                                         \
	type name(struct cursor *cursor)                                                           \
	{                                                                                          \
		struct bytes {                                                                     \
			type value;                                                                \
		} __attribute__((packed, may_alias));                                              \
		const struct bytes *bytes = (const struct bytes *)next(cursor, sizeof(type));      \
                                                                                                   \
		return bytes ? bytes->value : 0;                                                   \
	}

READER(cursor_u8, uint8_t)
READER(cursor_u16, uint16_t)
READER(cursor_u32, uint32_t)
READER(cursor_u64, uint64_t)
READER(cursor_word, uintptr_t)

/* Reads seven bits per byte, the lowest first; *bits: how many there were. */
static uint64_t leb(struct cursor *cursor, unsigned *bits, uint8_t *last)
{
	uint64_t value = 0;

	*bits = 0;
	do {
		*last = cursor_u8(cursor);
		if (*bits < 64)
			value |= (uint64_t)(*last & 0x7f) << *bits;
		*bits += 7;
		if (*bits > 7 * 16)
			cursor->bad = true;
	} while (*last & 0x80 && !cursor->bad);
	return cursor->bad ? 0 : value;
}

uint64_t cursor_uleb(struct cursor *cursor)
{
	unsigned bits;
	uint8_t last;

	return leb(cursor, &bits, &last);
}

int64_t cursor_sleb(struct cursor *cursor)
{
	unsigned bits;
	uint8_t last;
	uint64_t value = leb(cursor, &bits, &last);

	if (last & 0x40 && bits < 64 && !cursor->bad)
		value |= ~UINT64_C(0) << bits;
	return (int64_t)value;
}

static uintptr_t raw_pointer(struct cursor *cursor, uint8_t encoding)
{
	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_signed:
		return cursor_word(cursor);
	case DW_EH_PE_uleb128:
		return (uintptr_t)cursor_uleb(cursor);
	case DW_EH_PE_udata2:
		return cursor_u16(cursor);
	case DW_EH_PE_udata4:
		return cursor_u32(cursor);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return (uintptr_t)cursor_u64(cursor);
	case DW_EH_PE_sleb128:
		return (uintptr_t)cursor_sleb(cursor);
	case DW_EH_PE_sdata2:
		return (uintptr_t)(int16_t)cursor_u16(cursor);
	case DW_EH_PE_sdata4:
		return (uintptr_t)(int32_t)cursor_u32(cursor);
	default:
		cursor->bad = true;
		return 0;
	}
}

static uintptr_t base_of(struct cursor *cursor, uint8_t encoding, uintptr_t here,
			 const struct bases *bases)
{
	switch (encoding & DW_EH_PE_relative) {
	case DW_EH_PE_absptr:
		return (encoding & DW_EH_PE_format) == DW_EH_PE_absptr ? bases->absolute : 0;
	case DW_EH_PE_aligned:
		return bases->absolute;
	case DW_EH_PE_pcrel:
		return here;
	case DW_EH_PE_datarel:
		return bases->data;
	case DW_EH_PE_funcrel:
		return bases->function;
	default: /* textrel: no compiler for Linux defines its base */
		cursor->bad = true;
		return 0;
	}
}

uintptr_t cursor_pointer(struct cursor *cursor, uint8_t encoding, const struct bases *bases)
{
	uintptr_t value, here;

	if (encoding == DW_EH_PE_omit)
		return 0;
	if ((encoding & DW_EH_PE_relative) == DW_EH_PE_aligned)
		cursor_skip(cursor, -cursor->at % sizeof(uintptr_t));
	here = cursor->at;
	value = raw_pointer(cursor, encoding);
	if (value)
		value += base_of(cursor, encoding, here, bases);
	if (value && encoding & DW_EH_PE_indirect && !cursor->bad)
		cursor->bad = !memory_bytes(cursor->memory, value, &value, sizeof(value));
	return cursor->bad ? 0 : value;
}
