/* SPDX-License-Identifier: MIT
 *
 * hotspot.h - HotSpot, the virtual machine of OpenJDK: its own description of its structs, and the
 * code that it has made.
 *
 * libjvm.so exports tables of the fields that debuggers may read, with their offsets: so there is
 * nothing to know by heart but what the fields mean. The tables are complete once the dynamic
 * linker has relocated them, and the virtual machine is there some time later: all is read when it
 * is needed first.
 *
 * All functions may be called in a handler. All memory is read by peek.h.
 */
#ifndef DWELL_INTERPRETER_HOTSPOT_H
#define DWELL_INTERPRETER_HOTSPOT_H

#include <stdatomic.h>

#include "dynsym.h"
#include "peek.h"

/* Fields and sizes of structs; and addresses of static ones. hotspot_tables.c has their names. */
enum hotspot_field {
	/* static */
	HOTSPOT_VERSION,
	HOTSPOT_HEAPS,
	HOTSPOT_CODE_START,
	HOTSPOT_CODE_END,
	HOTSPOT_INTERPRETER,
	HOTSPOT_CALL_STUB_RETURN,
	HOTSPOT_FLAGS,
	HOTSPOT_FLAG_COUNT,
	/* of the heaps of code, and of an array */
	HOTSPOT_ARRAY_LENGTH,
	HOTSPOT_ARRAY_DATA,
	HOTSPOT_HEAP_MEMORY,
	HOTSPOT_HEAP_MAP,
	HOTSPOT_HEAP_SHIFT,
	HOTSPOT_SPACE_LOW,
	HOTSPOT_SPACE_HIGH,
	HOTSPOT_BLOCK_USED,
	/* of the interpreter's code */
	HOTSPOT_QUEUE_START,
	HOTSPOT_QUEUE_END,
	HOTSPOT_CODELET_SIZE,
	HOTSPOT_CODELET_TEXT,
	/* of all code, and of a compiled method */
	HOTSPOT_BLOB_NAME,
	HOTSPOT_BLOB_COMPLETE,
	HOTSPOT_BLOB_FRAME,
	HOTSPOT_BLOB_START,
	HOTSPOT_BLOB_END,
	HOTSPOT_NMETHOD_METHOD,
	HOTSPOT_NMETHOD_SCOPES,
	HOTSPOT_NMETHOD_DEOPT,
	HOTSPOT_NMETHOD_DEOPT_HANDLE,
	HOTSPOT_NMETHOD_ENTRY,
	HOTSPOT_NMETHOD_STUBS,
	HOTSPOT_NMETHOD_ORIGINAL,
	HOTSPOT_NMETHOD_METADATA,
	HOTSPOT_NMETHOD_PCS,
	HOTSPOT_NMETHOD_PCS_END,
	HOTSPOT_PC_OFFSET,
	HOTSPOT_PC_SCOPE,
	/* of methods, classes and texts */
	HOTSPOT_METHOD_CONST,
	HOTSPOT_CONST_POOL,
	HOTSPOT_CONST_WORDS,
	HOTSPOT_CONST_FLAGS,
	HOTSPOT_CONST_CODE_BYTES,
	HOTSPOT_CONST_NAME,
	HOTSPOT_POOL_HOLDER,
	HOTSPOT_POOL_FILE,
	HOTSPOT_CLASS_NAME,
	HOTSPOT_TEXT_LENGTH,
	HOTSPOT_TEXT,
	HOTSPOT_FLAG_NAME,
	HOTSPOT_FLAG_VALUE,
	/* sizes */
	HOTSPOT_BLOCK_BYTES,
	HOTSPOT_CODELET_BYTES,
	HOTSPOT_PC_BYTES,
	HOTSPOT_METHOD_BYTES,
	HOTSPOT_CONST_BYTES,
	HOTSPOT_POOL_BYTES,
	HOTSPOT_FLAG_BYTES,
	HOTSPOT_FIELDS
};

enum hotspot_state {
	HOTSPOT_UNREAD, /* the tables are not complete yet */
	HOTSPOT_BUSY,   /* a thread reads them */
	HOTSPOT_READY,
	HOTSPOT_UNKNOWN, /* another version, or build */
};

/* Starts as all zeroes. Invariant: nothing else changes once the state is HOTSPOT_READY. */
struct hotspot {
	_Atomic int state;
	_Atomic int attempts;
	/* The variables of libjvm.so that lead to a table: its start, the size of an entry, and
	 * offsets in that. */
	struct hotspot_table {
		uintptr_t start, stride, name, field, offset, address;
	} fields, types;
	uintptr_t at[HOTSPOT_FIELDS];
	bool found[HOTSPOT_FIELDS];
	uintptr_t dense; /* the flag DebugNonSafepoints; 0: there is none */
	uint32_t version;
};

/* Finds the tables of an object. False: it has none. */
bool hotspot_find(struct hotspot *vm, const struct dynsym *symbols);

/* Reads the tables, once. Returns the state: anything but ready or unknown is for now. */
enum hotspot_state hotspot_read(struct hotspot *vm, struct peek *peek);

/* Notes the heaps of code as memory that stays readable. */
void hotspot_trust(const struct hotspot *vm, struct peek *peek);

/* Kinds of code. */
enum hotspot_kind {
	HOTSPOT_NONE, /* it is free, or cannot be read */
	HOTSPOT_METHOD,
	HOTSPOT_METHOD_NATIVE, /* calls a native method */
	HOTSPOT_INTERPRETER_CODE,
	HOTSPOT_ROUTINES, /* many of them, without a frame size */
	HOTSPOT_ADAPTER,  /* between compiled and interpreted calls */
	HOTSPOT_LEAP,     /* goes on elsewhere, without a frame */
	HOTSPOT_DEOPT,    /* replaces frames */
	HOTSPOT_STUB,     /* has a frame size */
};

/* Code around an address. */
struct hotspot_blob {
	enum hotspot_kind kind;
	uintptr_t address, name, start, end;
	int32_t complete; /* the frame is made from this offset on */
	int32_t words;    /* of the frame */
};

/* Finds the code that an address is in. */
bool hotspot_blob(const struct hotspot *vm, struct peek *peek, uintptr_t pc,
		  struct hotspot_blob *blob);

/* Returns the part of the interpreter's code that an address is in, and its end; 0: none. */
uintptr_t hotspot_codelet(const struct hotspot *vm, struct peek *peek, uintptr_t pc, uintptr_t *end,
			  uintptr_t *text);

/* Returns true for an address that HotSpot has made no code at. */
bool hotspot_is_native(const struct hotspot *vm, struct peek *peek, uintptr_t pc);

/* Returns true for a pointer that may be one to a method. */
bool hotspot_is_method(const struct hotspot *vm, struct peek *peek, uintptr_t method);

/* Reads memory that may not be there. A failed read is 0. */
static inline uintptr_t hotspot_word(struct peek *peek, uintptr_t address)
{
	return peek_can(peek, address, sizeof(address)) ? peek_word(peek, address) : 0;
}

static inline uint32_t hotspot_half(struct peek *peek, uintptr_t address)
{
	return (uint32_t)hotspot_word(peek, address);
}

static inline uint8_t hotspot_byte(struct peek *peek, uintptr_t address)
{
	return peek_can(peek, address, 1) ? peek_byte(peek, address) : 0;
}

static inline uintptr_t hotspot_field(const struct hotspot *vm, struct peek *peek, uintptr_t start,
				      enum hotspot_field field)
{
	return hotspot_word(peek, start + vm->at[field]);
}

/* Reads a number: bytes of which those from 192 on continue, in pieces of six bits. */
static inline uint32_t hotspot_number(struct peek *peek, uintptr_t *at)
{
	uint32_t number = 0;

	for (unsigned shift = 0; shift <= 24; shift += 6) {
		uint8_t byte = hotspot_byte(peek, (*at)++);

		number += (uint32_t)byte << shift;
		if (byte < 192)
			break;
	}
	return number;
}

/* Returns the text of a number in a pool of constants. */
static inline uintptr_t hotspot_symbol(const struct hotspot *vm, struct peek *peek, uintptr_t pool,
				       uint32_t number)
{
	return hotspot_word(peek, pool + vm->at[HOTSPOT_POOL_BYTES] +
					  (number & 0xffff) * sizeof(uintptr_t));
}

/* Returns true if there is this text, with its final 0. */
static inline bool hotspot_is_text(struct peek *peek, uintptr_t at, const char *text)
{
	do {
		if (!peek_can(peek, at, 1) || peek_byte(peek, at++) != (uint8_t)*text)
			return false;
	} while (*text++);
	return true;
}

/* Returns true if a text begins with this one. */
static inline bool hotspot_begins(struct peek *peek, uintptr_t at, const char *text)
{
	for (; *text; text++)
		if (hotspot_byte(peek, at++) != (uint8_t)*text)
			return false;
	return true;
}

#endif
