/* SPDX-License-Identifier: MIT
 *
 * test_altstacks.c - threads that must not be ticked, by the size of their alternate stacks.
 */
#include <unistd.h>

#include "runtime/sampler/altstacks.c"

#include "tap.h"

static size_t frame; /* as measured; 0: not yet */

size_t signals_frame_bytes(void)
{
	return frame;
}

/* The kernel's figure depends on the CPU, from about 1,100 bytes without AVX to more than 10,000
 * with AMX. All else is tested with the one of a CPU with AVX-512. */
#define MOST 3632

static void sizes(void)
{
	size_t most = frame_max();

	ok(most >= 1024 && !altstacks_may_be_small(most + PADDING) &&
		   altstacks_may_be_small(most + PADDING - 1),
	   "the kernel's figure is enough for all: %zu bytes", most);
	altstacks.frame_max = most = MOST;
	altstacks_note(17, 3000);
	altstacks_note(18, most + PADDING);
	frame = 0;
	ok(altstacks_forbid(17), "as long as no frame was measured, a frame may be that large");
	frame = 3000 - PADDING + 1;
	ok(altstacks_forbid(17), "a stack that is a byte too small");
	frame = 3000 - PADDING;
	ok(!altstacks_forbid(17), "one that is just large enough");
	frame = 3000;
	ok(altstacks_forbid(17) && !altstacks_forbid(18) && !altstacks_forbid(19),
	   "others are ticked: those with a large stack, and those with none");
	altstacks_note(17, 0);
	ok(!altstacks_forbid(17), "it is ticked when it has no alternate stack any more");
	ok(altstacks_is_tight(8192) && !altstacks_is_tight(2 * (3000 + PADDING) + HANDLER_BYTES),
	   "a tight one has room for a frame, but not for two and a handler");
}

static void many(void)
{
	frame = 3000;
	for (int tid = 1; tid <= NOTES_MAX; tid++)
		altstacks_note(tid, 2048);
	ok(altstacks_forbid(1) && altstacks_forbid(NOTES_MAX) && !altstacks_forbid(NOTES_MAX + 1),
	   "%d of them are distinguished", NOTES_MAX);
	altstacks_note(5, 0);
	altstacks_note(NOTES_MAX + 1, 2048);
	ok(!altstacks_forbid(5) && altstacks_forbid(NOTES_MAX + 1),
	   "one that has ended leaves its place");
	altstacks_note(NOTES_MAX + 2, 2048);
	ok(altstacks_forbid(5) && altstacks_forbid(NOTES_MAX + 2),
	   "if there are more, no thread is ticked");
	altstacks_forget();
	ok(!altstacks_forbid(1) && !altstacks_forbid(5),
	   "in the child of a fork, all are forgotten");
}

static void mine(void)
{
	static char memory[2048];
	stack_t stack = { .ss_sp = memory, .ss_size = sizeof(memory) },
		none = { .ss_flags = SS_DISABLE };
	pid_t me = (pid_t)sys_gettid();

	frame = 3000;
	altstacks_note_mine();
	ok(!altstacks_forbid(me), "a thread without an alternate stack is ticked");
	sys_sigaltstack(&stack, NULL);
	altstacks_note_mine();
	ok(altstacks_forbid(me), "one that has a small one already is not");
	sys_sigaltstack(&none, NULL);
	altstacks_note_mine();
	ok(!altstacks_forbid(me), "until that is gone");
}

int main(void)
{
	sizes();
	many();
	mine();
	return tap_done();
}
