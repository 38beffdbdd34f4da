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
static inline void made_layout(struct hotspot *vm)
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
		[HOTSPOT_NMETHOD_STUBS] = 88,
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

#define TWO(low, high) ((uintptr_t)((uint64_t)(low) | (uint64_t)(high) << 32))

/* Pieces of code, in segments of 128 bytes: a compiled method that calls itself, the interpreter,
 * the routine by which C calls Java, and one that replaces frames. Each has a block of two words
 * before it. */
#define METHOD_BLOB  address(CODE, 2)
#define METHOD_CODE  address(CODE, 16)
#define BEHIND_CALL  (METHOD_CODE + 40)
#define BETWEEN      (METHOD_CODE + 44)
#define SECOND_PLACE (METHOD_CODE + 48)
#define TO_INNER     (METHOD_CODE + 64) /* calls it where it is interpreted */
#define DEOPT        (METHOD_CODE + 96)
#define LEFT         (METHOD_CODE + 30) /* by an exception */
#define INTERPRETER  address(CODE, 34)
#define INTERPRETED  address(CODE, 56)
#define ROUTINES     address(CODE, 66)
#define CALL_STUB    address(CODE, 76)
#define REPLACER     address(CODE, 82) /* replaces compiled frames by the interpreter's */
#define REPLACING    address(CODE, 92)
#define ADAPTER      address(CODE, 114)
#define INWARD       address(CODE, 120)
#define OUTWARD      (INWARD + 20)
#define STUB         address(CODE, 130) /* with a frame pointer */
#define STUB_CODE    address(CODE, 136)
#define EXCEPTION    address(CODE, 146) /* passes through there */
#define RAISED       address(CODE, 152)
#define HANDLES      address(CODE, 162) /* calls by a handle */
#define HANDLED      address(CODE, 168)
#define UNWINDER     address(CODE, 178) /* looks for the handler of an exception */
#define UNWINDING    address(CODE, 184)
#define OUTER        address(METHODS, 0)
#define INNER        address(METHODS, 2)
#define OUTER_CONST  address(METHODS, 10)
#define INNER_CONST  address(METHODS, 20)
#define POOL         address(METHODS, 40)
#define CLASS        address(METHODS, 50)
#define SP           address(STACK, 100)
#define FP           address(STACK, 130)
#define FRAME_WORDS  6
#define NATIVE       ((uintptr_t)0x7000)

static inline void put_text(uintptr_t at, const char *text)
{
	uint16_t length = (uint16_t)strlen(text);

	memcpy((char *)memory + (at - BASE), &length, sizeof(length));
	memcpy((char *)memory + (at - BASE) + 2, text, length);
}

static inline void put_code(uintptr_t at, const char *bytes, size_t count)
{
	memcpy((char *)memory + (at - BASE), bytes, count);
}

/* Writes a piece of code of some segments. */
static inline void make_blob(uintptr_t blob, unsigned segments, const char *name, uintptr_t text)
{
	unsigned first = (unsigned)((blob - address(CODE, 2)) >> SHIFT);
	char *map = (char *)memory[MAP];

	for (unsigned i = 0; i < segments; i++)
		map[first + i] = (char)i;
	PUT(blob - 16, segments, 1);
	PUT(blob, text, TWO(11, FRAME_WORDS), blob + 16,
	    blob - 16 + ((uintptr_t)segments << SHIFT));
	strcpy((char *)memory + (text - BASE), name);
}

static inline void make_method(void)
{
	make_blob(METHOD_BLOB, 2, "nmethod", address(TEXTS, 0));
	/* push %rbp; sub $32, %rsp */
	PUT(METHOD_BLOB + 16, METHOD_CODE, METHOD_CODE + 128, OUTER, address(SCOPES, 0), DEOPT, 0,
	    METHOD_CODE);
	memory[CODE][11] = TWO(16, SCOPES * 4096 - CODE * 4096 + 400 - 16);
	memory[CODE][12] =
		TWO(SCOPES * 4096 - CODE * 4096 + 800 - 16, SCOPES * 4096 - CODE * 4096 + 880 - 16);
	memory[CODE][13] = TO_INNER - METHOD_BLOB;
	put_code(METHOD_CODE, "\x55\x48\x81\xec\x20\0\0\0", 8);
	put_code(BEHIND_CALL - 5, "\xe8\0\0\0\0", 5);
	put_code(METHOD_CODE + 60, "\x5d\xc3", 2);
	/* add $32, %rsp; pop %rbp; jmp */
	put_code(LEFT - 5, "\x48\x83\xc4\x20\x5d\xe9\0\0\0\0", 10);
	/* mov $method, %rbx; jmp; and mov $here, %r10; push %r10; jmp */
	put_code(TO_INNER, "\x48\xbb", 2);
	PUT(TO_INNER + 2, INNER);
	put_code(TO_INNER + 10, "\xe9", 1);
	put_code(DEOPT, "\x49\xba\0\0\0\0\0\0\0\0\x41\x52\xe9", 13);
	/* Places: before all, behind the call in the inlined method, one of the outer method alone,
	 * another one of the inlined method, and behind all. */
	PUT(address(SCOPES, 50), OUTER, INNER);
	PUT(address(SCOPES, 100), TWO(-1, 0), 0, TWO(40, 8), 0, TWO(48, 4), 0, TWO(52, 8), 0,
	    TWO(1000, 0), 0);
	/* A chain: its caller, its method and its instruction, plus 1. */
	put_code(address(SCOPES, 0) + 4, "\0\x01\x06", 3);
	put_code(address(SCOPES, 0) + 8, "\x04\x02\x03", 3);
}

/* Writes code that moves arguments, and stubs. */
static inline void make_stubs(void)
{
	make_blob(ADAPTER, 1, "I2C/C2I adapters", address(TEXTS, 32));
	PUT(ADAPTER + 16, INWARD);
	put_code(INWARD, "\x48\x8b\x04\x24\x4c\x8b\xdc\x48\x83\xe4\xf0\x50\x49\x8b\xc3\x41\xff\xe3",
		 18);
	/* mov %rsp, %r13; call; mov %r13, %rsp; pop %rax; mov %rsp, %r13; sub; mov %rax, (%rsp);
	 * jmp */
	put_code(OUTWARD,
		 "\x4c\x8b\xec\x90\xe8\0\0\0\0\x90\x49\x8b\xe5\x58\x4c\x8b\xec\x48\x83\xec\x10",
		 21);
	put_code(OUTWARD + 21, "\x48\x89\x04\x24\xff\xe1", 6);
	make_blob(STUB, 1, "new_type_array Runtime1 stub", address(TEXTS, 36));
	PUT(STUB + 16, STUB_CODE);
	/* push %rbp; mov %rsp, %rbp; nop; leave; pop %rcx; jmp *%rcx; pop %rbp; jmp *%rax */
	put_code(STUB_CODE, "\x55\x48\x8b\xec\x90\xc9\x59\xff\xe1\x5d\xff\xe0", 12);
	make_blob(EXCEPTION, 1, "ExceptionBlob", address(TEXTS, 44));
	PUT(EXCEPTION + 16, RAISED);
	/* push %rdx; sub $8, %rsp; pop %rdx; jmp *%r10 */
	put_code(RAISED, "\x52\x48\x83\xec\x08\x5a\x41\xff\xe2", 9);
	make_blob(HANDLES, 1, "MethodHandles adapters", address(TEXTS, 48));
	PUT(HANDLES + 16, HANDLED);
	/* pop %rax; pop %rbx; push %rax */
	put_code(HANDLED, "\x90\x58\x5b\x50\x90", 5);
	make_blob(UNWINDER, 1, "unwind_exception Runtime1 stub", address(TEXTS, 52));
	PUT(UNWINDER + 8, TWO(0, -1), UNWINDING);
	/* je; sub $8, %rsp; call; add $8, %rsp; jmp; call; mov %rax, %rbx; mov %r14, %rax; pop
	 * %rdx; jmp *%rbx */
	put_code(UNWINDING,
		 "\x0f\x84\x12\0\0\0\x48\x83\xec\x08\xe8\0\0\0\0\x48\x83\xc4\x08\xe9\x05\0\0\0"
		 "\xe8\0\0\0\0\x48\x8b\xd8\x49\x8b\xc6\x5a\xff\xe3",
		 38);
}

static inline void make_methods(void)
{
	PUT(OUTER, 0, OUTER_CONST, 0, INNER_CONST);
	/* Their pool, size in words and flags, bytes of instructions and number of the name; then
	 * instructions, and lines: 10 at first, one more from the fourth instruction on. */
	PUT(OUTER_CONST, POOL, TWO(6, 1), TWO(8 | 1 << 16, 0));
	PUT(INNER_CONST, POOL, TWO(6, 0), TWO(8 | 2 << 16, 0));
	put_code(OUTER_CONST + 32, "\xff\0\x14\x21\0", 5);
	PUT(POOL, CLASS, 3, address(TEXTS, 20), address(TEXTS, 22), address(TEXTS, 24),
	    address(TEXTS, 26));
	PUT(CLASS, 0, address(TEXTS, 28));
	put_text(address(TEXTS, 22), "outer");
	put_text(address(TEXTS, 24), "inner");
	put_text(address(TEXTS, 26), "App.java");
	put_text(address(TEXTS, 28), "demo/App");
}

/* Writes all of it. */
static inline void made_hotspot(void)
{
	made_memory_clear();
	memset(memory[MAP], 255, sizeof(memory[MAP]));
	PUT(address(STATICS, 0), address(HEAP, 0), address(CODE, 0), address(STACK, 0),
	    address(HEAP, 30), CALL_STUB);
	PUT(address(HEAP, 0), 1, address(HEAP, 10));
	PUT(address(HEAP, 10), address(HEAP, 20));
	PUT(address(HEAP, 20), address(CODE, 0), address(STACK, 0), address(MAP, 0), 0, SHIFT);
	PUT(address(HEAP, 30), address(CODE, 48), 128);
	make_methods();
	make_method();
	make_blob(INTERPRETER, 2, "Interpreter", address(TEXTS, 4));
	make_blob(ROUTINES, 1, "StubRoutines (1)", address(TEXTS, 8));
	make_blob(REPLACER, 1, "DeoptimizationBlob", address(TEXTS, 16));
	make_stubs();
	PUT(address(CODE, 48), address(TEXTS, 12), 128);
	strcpy((char *)&memory[TEXTS][12], "return entry points");
}

/* Writes a thread whose interpreter has called a compiled method, which has called itself. */
static inline void made_thread(void)
{
	PUT(SP + 4 * WORD, FP, BEHIND_CALL);
	PUT(SP + 10 * WORD, FP, INTERPRETED);
	PUT(FP - 8 * WORD, OUTER_CONST + 24 + 3, 0, 0, 0, 0, OUTER, 0, FP + 4 * WORD,
	    FP + 20 * WORD, BEHIND_CALL);
}

#endif
