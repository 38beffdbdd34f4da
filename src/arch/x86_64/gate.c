/* SPDX-License-Identifier: MIT
 *
 * gate.c - the code that the jump at a patched entry leads to.
 *
 * A function that is timed goes to the wrapper, which returns to `resume`:
 *
 *	entry:   mov %r11, -KEPT_R11(%rsp)      kept: see x86_64/wrapper.S
 *	         mov $callee, %r11
 *	         jmp *FUNCTION_ENTER(%r11)
 *	resume:  mov -KEPT_R11(%rsp), %r11
 *	copy:    ...
 *
 * One that is only counted is counted here, as arch_enter_count does it: one jump to this place and
 * one back are all. Where that is not possible, such as at a thread's first call, the wrapper does
 * it:
 *
 *	rare:    restores rax and rdx, then as above
 *	resume:  mov -KEPT_R11(%rsp), %r11
 *	         jmp copy
 *	entry:   saves rax and rdx; tallies[id]->calls++, ->untimed++; restores them
 *	copy:    ...
 *
 * Works in the red zone, which no signal overwrites. All registers but the flags stay.
 */
#include "entry.h"

#include "calls_layout.h"
#include "x86_64/thread.h"

struct code {
	uint8_t *bytes;
	unsigned used;
};

static void put(struct code *code, unsigned count, const uint8_t *bytes)
{
	for (unsigned i = 0; i < count; i++)
		code->bytes[code->used++] = bytes[i];
}

#define PUT(code, ...)                                                                             \
	put(code, sizeof((const uint8_t[]){ __VA_ARGS__ }), (const uint8_t[]){ __VA_ARGS__ })

static void put_number(struct code *code, uint64_t number, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		code->bytes[code->used++] = (uint8_t)(number >> 8 * i);
}

#define BELOW(distance) (uint8_t) - (distance) /* from the stack pointer */

enum { KEPT_RAX = 8, KEPT_RDX = 16 };

static void put_way_to_wrapper(struct code *code, const struct arch_gate *gate)
{
	PUT(code, 0x4c, 0x89, 0x5c, 0x24, BELOW(KEPT_R11)); /* mov %r11, -KEPT_R11(%rsp) */
	PUT(code, 0x49, 0xbb);                              /* mov $callee, %r11 */
	put_number(code, gate->callee, 8);
	PUT(code, 0x41, 0xff, 0x63, FUNCTION_ENTER); /* jmp *FUNCTION_ENTER(%r11) */
}

static void put_resume(struct code *code)
{
	PUT(code, 0x4c, 0x8b, 0x5c, 0x24, BELOW(KEPT_R11)); /* mov -KEPT_R11(%rsp), %r11 */
}

static void put_restore(struct code *code)
{
	PUT(code, 0x48, 0x8b, 0x54, 0x24, BELOW(KEPT_RDX)); /* mov -KEPT_RDX(%rsp), %rdx */
	PUT(code, 0x48, 0x8b, 0x44, 0x24, BELOW(KEPT_RAX)); /* mov -KEPT_RAX(%rsp), %rax */
}

/* Puts a conditional jump to the beginning. */
static void put_if_rare(struct code *code, uint8_t condition)
{
	PUT(code, condition);
	code->bytes[code->used] = (uint8_t) - (code->used + 1);
	code->used++;
}

enum { IF_ZERO = 0x74, IF_NOT_ABOVE = 0x76 };

/* Puts find_tally of wrapper.S, and counts. */
static void put_count(struct code *code, const struct arch_gate *gate)
{
	PUT(code, 0x48, 0x89, 0x44, 0x24, BELOW(KEPT_RAX)); /* mov %rax, -KEPT_RAX(%rsp) */
	PUT(code, 0x48, 0x89, 0x54, 0x24, BELOW(KEPT_RDX)); /* mov %rdx, -KEPT_RDX(%rsp) */
	PUT(code, 0x48, 0xa1);                              /* movabs counting, %rax */
	put_number(code, gate->counting, 8);
	PUT(code, 0x48, 0x85, 0xc0); /* test %rax, %rax */
	put_if_rare(code, IF_ZERO);
	PUT(code, 0x64, 0x48, 0x83, 0x3c, 0x25); /* cmpq $0, %fs:TCB_DTV */
	put_number(code, TCB_DTV, 4);
	PUT(code, 0);
	put_if_rare(code, IF_ZERO);
	PUT(code, 0x64, 0x48, 0x8b, 0x10);            /* mov %fs:(%rax), %rdx */
	PUT(code, 0x48, 0x81, 0x7a, THREAD_CAPACITY); /* cmpq $id, THREAD_CAPACITY(%rdx) */
	put_number(code, gate->id, 4);
	PUT(code, 0x48, 0x8b, 0x52, THREAD_TALLIES); /* mov THREAD_TALLIES(%rdx), %rdx */
	put_if_rare(code, IF_NOT_ABOVE);
	PUT(code, 0x48, 0x8b, 0x92); /* mov 8 * id(%rdx), %rdx */
	put_number(code, 8 * (uint64_t)gate->id, 4);
	PUT(code, 0x48, 0x85, 0xd2); /* test %rdx, %rdx */
	put_if_rare(code, IF_ZERO);
	PUT(code, 0x48, 0x83, 0x42, TALLY_OF_CALLS, 1);   /* addq $1, TALLY_OF_CALLS(%rdx) */
	PUT(code, 0x48, 0x83, 0x42, TALLY_OF_UNTIMED, 1); /* addq $1, TALLY_OF_UNTIMED(%rdx) */
	put_restore(code);
}

void arch_gate_write(struct arch_gate *gate, uint8_t bytes[ARCH_GATE_BYTES])
{
	struct code code = { .bytes = bytes };
	unsigned jump;

	gate->entry = 0;
	if (gate->counting)
		put_restore(&code);
	put_way_to_wrapper(&code, gate);
	gate->resume = (uint8_t)code.used;
	put_resume(&code);
	if (gate->counting) {
		PUT(&code, 0xeb, 0); /* jmp copy */
		jump = code.used;
		gate->entry = (uint8_t)code.used;
		put_count(&code, gate);
		bytes[jump - 1] = (uint8_t)(code.used - jump);
	}
	gate->size = (uint8_t)code.used;
}
