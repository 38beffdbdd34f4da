/* SPDX-License-Identifier: MIT
 *
 * test_put_back.c - calls under way get their callers' return addresses back, wherever the function
 * keeps them, and go on without their slots. A coroutine that waits is in the place of a stopped
 * thread: its stack, and the registers in its context, are known.
 */
#include <ucontext.h>

#include "runtime/calls/arena.h"
#include "runtime/calls/put_back.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))
#define STACK    65536
#define DEPTH    5

static ucontext_t here, scheduler;
static char stack[STACK] __attribute__((aligned(64)));
static uint64_t answer;

static uint64_t (*wdescend)(int depth);

NOINLINE static uint64_t descend(int depth)
{
	uint64_t below;

	if (depth == 0) {
		swapcontext(&here, &scheduler);
		return 1;
	}
	below = wdescend(depth - 1);
	return 2 * below;
}

static void body(void)
{
	answer = wdescend(DEPTH);
}

static void start(void)
{
	answer = 0;
	getcontext(&here);
	here.uc_stack.ss_sp = stack;
	here.uc_stack.ss_size = sizeof(stack);
	here.uc_link = &scheduler;
	makecontext(&here, body, 0);
	swapcontext(&scheduler, &here);
}

/* Returns the call of the slot, with the memory that belongs to it. */
static struct injected_call call_of(const struct slot *slot)
{
	return (struct injected_call){ .stub = arena_stub_return(slot),
				       .stack = (uintptr_t)stack,
				       .stack_end = (uintptr_t)stack + sizeof(stack),
				       .registers = (uintptr_t)&here,
				       .registers_end = (uintptr_t)(&here + 1) };
}

/* Puts back all calls. Returns how many of them were found. */
static int put_all_back(bool finishes)
{
	struct injected_call calls[DEPTH + 1];
	int found = 0;

	for (int i = 0; i <= DEPTH; i++) {
		calls[i] = call_of(calls_this->top - 1 - i);
		put_back_call(&calls[i]);
		found += calls[i].found > 0;
	}
	for (int i = 0; i <= DEPTH && finishes; i++)
		put_back_finish(&calls[i]);
	return found;
}

static void test_finished(void)
{
	uint64_t untimed = SEEN(wdescend).untimed;

	start();
	ok(put_all_back(true) == DEPTH + 1, "the return addresses of all calls are found");
	ok(SEEN(wdescend).untimed - untimed == DEPTH + 1, "they count without a time");
	ok(put_back_all(calls_this) == 0, "none is under way any more");
	swapcontext(&scheduler, &here);
	ok(answer == 1 << DEPTH, "and all of them return");
}

/* The tool may die before the slots are given up: a thread may still return to a stub. */
static void test_interrupted(void)
{
	uintptr_t *words = (uintptr_t *)stack;
	const struct slot *outermost;
	int found;

	start();
	outermost = calls_this->top - 1 - DEPTH;
	found = put_all_back(false);
	/* The only call from body(). */
	for (size_t i = 0; i < sizeof(stack) / sizeof(*words); i++)
		if (words[i] == outermost->return_address)
			words[i] = arena_stub_return(outermost);
	swapcontext(&scheduler, &here);
	ok(found == DEPTH + 1 && answer == 1 << DEPTH, "a slot that was not given up still works");
}

static void test_unknown(void)
{
	struct injected_call call;

	start();
	call = call_of(calls_this->top - 1);
	call.stack_end = call.stack;
	call.registers_end = call.registers;
	put_back_call(&call);
	put_back_finish(&call);
	swapcontext(&scheduler, &here);
	ok(!call.found && answer == 1 << DEPTH, "one that is not found goes on with its slot");
	call.stub = (uintptr_t)&call;
	put_back_call(&call);
	ok(!call.found, "an address outside of all stubs is left alone");
}

int main(void)
{
	wrapped_begin();
	wdescend = WRAP(descend);
	test_finished();
	test_interrupted();
	test_unknown();
	return tap_done();
}
