/* SPDX-License-Identifier: MIT
 *
 * hotspot_code.c - the code that HotSpot has made, by address.
 *
 * It is in one to three heaps. A heap is divided into segments; a map has a byte for each: how many
 * segments further back the block starts, at most, and 0 for the first of a block; 255: it is free.
 */
#include "hotspot.h"

#define HEAPS_MAX    8
#define HOPS_MAX     65536
#define CODELETS_MAX 1024
#define FREE         255
#define FRAME_MAX    (1 << 17) /* words */
#define FRAME_NONE   (-1)      /* the frame size of a stub that an exception leaves by */

/* ---- heaps ---- */

static uintptr_t block_in(const struct hotspot *vm, struct peek *peek, uintptr_t heap, uintptr_t pc)
{
	uintptr_t memory = heap + vm->at[HOTSPOT_HEAP_MEMORY];
	uintptr_t low = hotspot_field(vm, peek, memory, HOTSPOT_SPACE_LOW);
	uintptr_t map = hotspot_field(vm, peek, heap + vm->at[HOTSPOT_HEAP_MAP], HOTSPOT_SPACE_LOW);
	uint32_t shift = hotspot_half(peek, heap + vm->at[HOTSPOT_HEAP_SHIFT]);
	uintptr_t segment;

	if (shift > 16)
		return 0;
	segment = (pc - low) >> shift;
	for (unsigned i = 0; i < HOPS_MAX; i++) {
		uint8_t back;

		if (!peek_can(peek, map + segment, 1))
			return 0;
		back = peek_byte(peek, map + segment);
		if (back == FREE || back > segment)
			return 0;
		if (!back)
			return low + (segment << shift);
		segment -= back;
	}
	return 0;
}

static uintptr_t find_block(const struct hotspot *vm, struct peek *peek, uintptr_t pc)
{
	uintptr_t heaps = hotspot_word(peek, vm->at[HOTSPOT_HEAPS]);
	uint32_t count = hotspot_half(peek, heaps + vm->at[HOTSPOT_ARRAY_LENGTH]);
	uintptr_t data = hotspot_field(vm, peek, heaps, HOTSPOT_ARRAY_DATA);

	for (uint32_t i = 0; i < count && i < HEAPS_MAX; i++) {
		uintptr_t heap = hotspot_word(peek, data + i * sizeof(heap));
		uintptr_t memory = heap + vm->at[HOTSPOT_HEAP_MEMORY];

		if (pc >= hotspot_field(vm, peek, memory, HOTSPOT_SPACE_LOW) &&
		    pc < hotspot_field(vm, peek, memory, HOTSPOT_SPACE_HIGH))
			return block_in(vm, peek, heap, pc);
	}
	return 0;
}

static void trust_space(const struct hotspot *vm, struct peek *peek, uintptr_t space)
{
	peek_trust(peek, hotspot_field(vm, peek, space, HOTSPOT_SPACE_LOW),
		   hotspot_field(vm, peek, space, HOTSPOT_SPACE_HIGH));
}

void hotspot_trust(const struct hotspot *vm, struct peek *peek)
{
	uintptr_t heaps = hotspot_word(peek, vm->at[HOTSPOT_HEAPS]);
	uint32_t count = hotspot_half(peek, heaps + vm->at[HOTSPOT_ARRAY_LENGTH]);
	uintptr_t data = hotspot_field(vm, peek, heaps, HOTSPOT_ARRAY_DATA);

	for (uint32_t i = 0; i < count && i < HEAPS_MAX; i++) {
		uintptr_t heap = hotspot_word(peek, data + i * sizeof(heap));

		trust_space(vm, peek, heap + vm->at[HOTSPOT_HEAP_MEMORY]);
		trust_space(vm, peek, heap + vm->at[HOTSPOT_HEAP_MAP]);
	}
}

bool hotspot_is_native(const struct hotspot *vm, struct peek *peek, uintptr_t pc)
{
	return pc < hotspot_word(peek, vm->at[HOTSPOT_CODE_START]) ||
	       pc >= hotspot_word(peek, vm->at[HOTSPOT_CODE_END]);
}

/* ---- kinds ---- */

static enum hotspot_kind kind_of(struct peek *peek, uintptr_t name, int32_t words)
{
	static const struct {
		const char *name;
		enum hotspot_kind kind;
	} kinds[] = {
		{ "nmethod", HOTSPOT_METHOD },
		{ "native nmethod", HOTSPOT_METHOD_NATIVE },
		{ "Interpreter", HOTSPOT_INTERPRETER_CODE },
		{ "StubRoutines", HOTSPOT_ROUTINES },
		{ "I2C/C2I adapters", HOTSPOT_ADAPTER },
		{ "vtable chunks", HOTSPOT_LEAP },
		{ "InlineCacheBuffer", HOTSPOT_LEAP },
		{ "MethodHandles adapters", HOTSPOT_LEAP },
		{ "native signature handlers", HOTSPOT_LEAP },
		{ "DeoptimizationBlob", HOTSPOT_DEOPT },
		{ "UncommonTrapBlob", HOTSPOT_DEOPT },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (hotspot_begins(peek, name, kinds[i].name))
			return kinds[i].kind;
	return words < 0 ? HOTSPOT_LEAP : words > 0 ? HOTSPOT_STUB : HOTSPOT_ROUTINES;
}

bool hotspot_blob(const struct hotspot *vm, struct peek *peek, uintptr_t pc,
		  struct hotspot_blob *blob)
{
	uintptr_t block = find_block(vm, peek, pc), at;

	blob->kind = HOTSPOT_NONE;
	if (!block || !hotspot_byte(peek, block + vm->at[HOTSPOT_BLOCK_USED]))
		return false;
	at = block + vm->at[HOTSPOT_BLOCK_BYTES];
	blob->address = at;
	blob->name = hotspot_field(vm, peek, at, HOTSPOT_BLOB_NAME);
	blob->start = hotspot_field(vm, peek, at, HOTSPOT_BLOB_START);
	blob->end = hotspot_field(vm, peek, at, HOTSPOT_BLOB_END);
	blob->complete = (int32_t)hotspot_half(peek, at + vm->at[HOTSPOT_BLOB_COMPLETE]);
	blob->words = (int32_t)hotspot_half(peek, at + vm->at[HOTSPOT_BLOB_FRAME]);
	if (pc < blob->start || pc > blob->end || blob->words < FRAME_NONE ||
	    blob->words > FRAME_MAX)
		return false;
	blob->kind = kind_of(peek, blob->name, blob->words);
	return true;
}

/* ---- the interpreter ---- */

uintptr_t hotspot_codelet(const struct hotspot *vm, struct peek *peek, uintptr_t pc, uintptr_t *end,
			  uintptr_t *text)
{
	uintptr_t queue = hotspot_word(peek, vm->at[HOTSPOT_INTERPRETER]);
	uintptr_t at = hotspot_field(vm, peek, queue, HOTSPOT_QUEUE_START);
	uintptr_t last = at + hotspot_half(peek, queue + vm->at[HOTSPOT_QUEUE_END]);

	for (unsigned i = 0; i < CODELETS_MAX && at <= pc && at < last; i++) {
		uint32_t bytes = hotspot_half(peek, at + vm->at[HOTSPOT_CODELET_SIZE]);

		if (!bytes)
			return 0;
		if (pc < at + bytes) {
			*end = at + bytes;
			*text = hotspot_field(vm, peek, at, HOTSPOT_CODELET_TEXT);
			return at;
		}
		at += bytes;
	}
	return 0;
}

/* ---- methods ---- */

bool hotspot_is_method(const struct hotspot *vm, struct peek *peek, uintptr_t method)
{
	uintptr_t constant;

	if (!method || method % sizeof(uintptr_t) ||
	    !peek_can(peek, method, vm->at[HOTSPOT_METHOD_BYTES]))
		return false;
	constant = hotspot_field(vm, peek, method, HOTSPOT_METHOD_CONST);
	return constant && constant % sizeof(uintptr_t) == 0 &&
	       peek_can(peek, constant, vm->at[HOTSPOT_CONST_BYTES]) &&
	       hotspot_field(vm, peek, constant, HOTSPOT_CONST_POOL) % sizeof(uintptr_t) == 0 &&
	       hotspot_field(vm, peek, constant, HOTSPOT_CONST_POOL);
}
