/* SPDX-License-Identifier: MIT
 *
 * test_calls_entry.c - callers of wrapped functions, which the runtime's slots have: one that may
 * be another call's by now is not taken for the caller.
 */
#include <string.h>
#include <unistd.h>

#include "arch/calls_layout.h"
#include "attach/calls_entry.h"
#include "emulated.h"
#include "tap.h"

#define STUBS       4
#define STACK_WORDS 32
#define STACK_SP    ((uintptr_t)0x7f0000000000)
#define PLACE       (STACK_SP + 80) /* of the return address */
#define TIME        1000

/* Stubs, and slots behind them, as in the runtime. */
static _Alignas(64) unsigned char arena[2 * STUBS * SLOT_BYTES];
static uintptr_t stack_words[STACK_WORDS];

static struct calls_entry entry(void)
{
	return (struct calls_entry){ .pid = getpid(),
				     .stubs = (uintptr_t)arena,
				     .stubs_bytes = STUBS * SLOT_BYTES };
}

static uintptr_t pc_in_stub(size_t number)
{
	return (uintptr_t)arena + number * SLOT_BYTES + 9;
}

static void set_slot(size_t number, uint64_t entered, uintptr_t place)
{
	uint64_t *slot = (uint64_t *)(arena + (STUBS + number) * SLOT_BYTES);

	slot[SLOT_ENTERED / sizeof(*slot)] = entered;
	slot[SLOT_SP / sizeof(*slot)] = place - SP_BELOW_FRAME;
}

/* A stack of five frames, the second of which is the stub of slot 1. */
static struct walker_frames corrected_end(uint32_t end)
{
	struct walker_stack stack = { .copy = (const char *)stack_words,
				      .copy_bytes = sizeof(stack_words) };
	struct walker_frames frames = {
		.pcs = { 1, pc_in_stub(1), 3, 4, 5 }, .depth = 5, .certain = 5, .end = end
	};
	struct calls_entry own = entry();

	stack.registers.value[ARCH_FRAME_SP] = STACK_SP;
	stack_words[(PLACE - STACK_SP) / sizeof(uintptr_t)] = pc_in_stub(1);
	calls_entry_doubt(&own, NULL, &stack, TIME, &frames);
	return frames;
}

static struct walker_frames corrected(void)
{
	return corrected_end(RECORD_STACK_COMPLETE);
}

static void callers(void)
{
	struct walker_frames frames;

	set_slot(1, TIME, PLACE);
	frames = corrected();
	ok(frames.depth == 5 && frames.certain == 5, "the call began before the sample: certain");
	set_slot(1, TIME + 1, PLACE);
	frames = corrected();
	ok(frames.depth == 5 && frames.certain == 2 && frames.end == RECORD_STACK_COMPLETE,
	   "a later call from the same place of the stack: its caller is likely");
	set_slot(1, TIME + 1, PLACE + 16);
	frames = corrected();
	ok(frames.depth == 2 && frames.certain == 2 && frames.end == RECORD_STACK_BROKEN,
	   "a later call from elsewhere: the stack ends");
	set_slot(1, TIME + 1, STACK_SP + sizeof(stack_words) - 4);
	frames = corrected();
	ok(frames.depth == 2, "a place that was not copied proves nothing");
	set_slot(1, TIME + 1, (uintptr_t)SP_NOBODY + SP_BELOW_FRAME);
	frames = corrected();
	ok(frames.depth == 5 && frames.certain == 2,
	   "a later call that has returned: its caller is likely, if a whole stack follows");
	frames = corrected_end(RECORD_STACK_BROKEN);
	ok(frames.depth == 2, "and not otherwise");
}

#define STUB_SP (PLACE + sizeof(uintptr_t))
#define RIGHT   (uintptr_t)33

static unsigned walks;

/* Walks a stack of four frames, which only leads to the first function from one caller. */
static void walk(void *argument, const struct walker_stack *stack, struct walker_frames *frames)
{
	uintptr_t slot = (uintptr_t)arena + (STUBS + 1) * SLOT_BYTES;
	bool is_right = stack->word_count == 1 && stack->words[0].address == slot &&
			stack->words[0].value == RIGHT;

	(void)argument;
	walks++;
	*frames = (struct walker_frames){
		.pcs = { 1, pc_in_stub(1), is_right ? RIGHT : 8, 9 },
		.sps = { STACK_SP, STUB_SP },
		.depth = 4,
		.certain = 4,
		.end = is_right ? RECORD_STACK_COMPLETE : RECORD_STACK_BROKEN,
	};
}

static struct walker_frames doubted(struct calls_callers *callers, struct walker_stack *stack)
{
	const struct calls_walk again = { .walk = walk, .callers = callers };
	struct calls_entry own = entry();
	struct walker_frames frames;

	*stack = (struct walker_stack){ .copy = NULL };
	walk(NULL, stack, &frames);
	walks = 0;
	calls_entry_doubt(&own, &again, stack, TIME, &frames);
	return frames;
}

static void set_caller(size_t number, uintptr_t caller)
{
	*(uint64_t *)(arena + (STUBS + number) * SLOT_BYTES + SLOT_RETURN) = caller;
}

/* Callers that were seen before at the same place of the stack. */
static void known_callers(void)
{
	static struct calls_callers callers;
	struct walker_stack stack;
	struct walker_frames frames;

	set_slot(1, TIME + 1, PLACE + 64);
	set_caller(1, RIGHT);
	frames = doubted(&callers, &stack);
	ok(frames.depth == 2 && frames.end == RECORD_STACK_BROKEN && !walks,
	   "a caller at another place of the stack is not tried");
	set_slot(1, TIME, PLACE);
	doubted(&callers, &stack);
	set_caller(1, RIGHT + 1);
	doubted(&callers, &stack);
	set_slot(1, TIME + 1, PLACE + 64);
	frames = doubted(&callers, &stack);
	ok(frames.depth == 4 && frames.pcs[2] == RIGHT && frames.certain == 2 && walks == 2 &&
		   stack.word_count == 1,
	   "callers of the place are, and the one that leads to the first function is likely");
	memset(&callers, 0, sizeof(callers));
	calls_callers_note(&callers, STUB_SP, RIGHT + 1);
	frames = doubted(&callers, &stack);
	ok(frames.depth == 2 && frames.end == RECORD_STACK_BROKEN && stack.word_count == 0,
	   "the stack ends where none does");
}

static void kept_callers(void)
{
	static struct calls_callers callers;
	uintptr_t found[CALLS_CALLERS_WAYS];

	for (uintptr_t caller = 1; caller <= CALLS_CALLERS_WAYS + 1; caller++)
		calls_callers_note(&callers, STUB_SP, caller);
	calls_callers_note(&callers, STUB_SP, 3);
	ok(calls_callers_find(&callers, STUB_SP, found) == CALLS_CALLERS_WAYS && found[0] == 3 &&
		   found[1] == 5 && found[2] == 4 && found[3] == 2,
	   "a place keeps its last callers, each of them once");
	ok(calls_callers_find(&callers, STUB_SP + 8, found) == 0, "others have none");
}

static void others(void)
{
	struct walker_stack stack = { .copy = NULL };
	struct walker_frames frames = { .pcs = { pc_in_stub(0), 2 }, .depth = 2, .certain = 2 };
	struct calls_entry own = entry(), none = { 0 };

	set_slot(0, TIME + 1, PLACE);
	calls_entry_doubt(&own, NULL, &stack, TIME, &frames);
	ok(frames.depth == 2, "the innermost frame calls nothing");
	frames = (struct walker_frames){ .pcs = { 1, pc_in_stub(0), 3 }, .depth = 3, .certain = 3 };
	calls_entry_doubt(&none, NULL, &stack, TIME, &frames);
	ok(frames.depth == 3 && frames.certain == 3, "a process without the runtime has no stubs");
	own.stubs_bytes = sizeof(arena) + ((size_t)1 << 40);
	calls_entry_doubt(&own, NULL, &stack, TIME, &frames);
	ok(frames.depth == 2, "a slot that cannot be read: the stack ends");
}

static void entries(void)
{
	const struct calls_entry list[] = { { .pid = 7, .segment = 70 },
					    { .pid = 8, .segment = 80 } };
	const struct calls_shared shared = { .entries = list, .count = 2 };

	ok(calls_entry_find(&shared, 8).segment == 80, "an entry is found by its process");
	ok(!calls_entry_find(&shared, 9).segment && !calls_entry_find(NULL, 8).segment,
	   "others have none");
}

int main(void)
{
	if (reads_processes()) {
		callers();
		known_callers();
	} else {
		skip("callers in slots of a process", NO_READING);
	}
	kept_callers();
	others();
	entries();
	return tap_done();
}
