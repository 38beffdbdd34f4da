/* SPDX-License-Identifier: MIT
 *
 * made_hotspot.h - a virtual machine of Java in which everything is near: a heap of code on one
 * page, and what it leads to on others. For made_memory.h.
 */
#ifndef DWELL_TESTS_MADE_HOTSPOT_H
#define DWELL_TESTS_MADE_HOTSPOT_H

#include "interpreter/hotspot_frames.h"
#include "made_memory.h"

enum { STATICS = 0, HEAP = 1, MAP = 2, CODE = 3, STACK = 4, METHODS = 5, TEXTS = 6, SCOPES = 7 };

enum { SHIFT = 7 }; /* of a segment: 128 bytes */

/* Offsets are those of OpenJDK 17, where they matter to nothing but themselves. */
static void made_layout(struct hotspot *vm)
{
	static const uintptr_t statics[] = { [HOTSPOT_HEAPS] = 0,
					     [HOTSPOT_CODE_START] = 1,
					     [HOTSPOT_CODE_END] = 2,
					     [HOTSPOT_INTERPRETER] = 3,
					     [HOTSPOT_CALL_STUB_RETURN] = 4 };
	static const uintptr_t offsets[HOTSPOT_FIELDS] = {
		[HOTSPOT_ARRAY_DATA] = 8,
		[HOTSPOT_HEAP_MAP] = 16,
		[HOTSPOT_HEAP_SHIFT] = 32,
		[HOTSPOT_SPACE_HIGH] = 8,
		[HOTSPOT_BLOCK_USED] = 8,
		[HOTSPOT_QUEUE_END] = 8,
		[HOTSPOT_CODELET_SIZE] = 8,
		[HOTSPOT_BLOB_COMPLETE] = 8,
		[HOTSPOT_BLOB_FRAME] = 12,
		[HOTSPOT_BLOB_START] = 16,
		[HOTSPOT_BLOB_END] = 24,
		[HOTSPOT_NMETHOD_METHOD] = 32,
		[HOTSPOT_NMETHOD_SCOPES] = 40,
		[HOTSPOT_NMETHOD_DEOPT] = 48,
		[HOTSPOT_NMETHOD_DEOPT_HANDLE] = 56,
		[HOTSPOT_NMETHOD_ENTRY] = 64,
		[HOTSPOT_NMETHOD_ORIGINAL] = 72,
		[HOTSPOT_NMETHOD_METADATA] = 76,
		[HOTSPOT_NMETHOD_PCS] = 80,
		[HOTSPOT_NMETHOD_PCS_END] = 84,
		[HOTSPOT_PC_SCOPE] = 4,
		[HOTSPOT_METHOD_CONST] = 8,
		[HOTSPOT_CONST_WORDS] = 8,
		[HOTSPOT_CONST_FLAGS] = 12,
		[HOTSPOT_CONST_CODE_BYTES] = 16,
		[HOTSPOT_CONST_NAME] = 18,
		[HOTSPOT_POOL_FILE] = 8,
		[HOTSPOT_CLASS_NAME] = 8,
		[HOTSPOT_TEXT] = 2,
		[HOTSPOT_BLOCK_BYTES] = 16,
		[HOTSPOT_CODELET_BYTES] = 16,
		[HOTSPOT_PC_BYTES] = 16,
		[HOTSPOT_METHOD_BYTES] = 16,
		[HOTSPOT_CONST_BYTES] = 24,
		[HOTSPOT_POOL_BYTES] = 16,
	};

	memcpy(vm->at, offsets, sizeof(vm->at));
	for (unsigned i = HOTSPOT_HEAPS; i <= HOTSPOT_CALL_STUB_RETURN; i++)
		vm->at[i] = address(STATICS, (unsigned)statics[i]);
	vm->state = HOTSPOT_READY;
	vm->version = 17;
}

#endif
