/* SPDX-License-Identifier: MIT */
#include "walk.h"

#include <errno.h>

#include "mapped.h"
#include "recording/write/stack_end.h"
#include "runtime/guard/sandbox.h"
#include "runtime/process/instant.h"
#include "sys.h"

/* Address space only; unused pages cost nothing: the rules of 32,768 addresses. */
#define CACHE_BYTES (1 << 20)

/*
 * At least so many bytes below the upper end of the first thread's stack are used by nothing else.
 */
#define FIRST_STACK_BYTES ((uintptr_t)64 << 20)

/* Written by walk_init(), before the first tick. */
static struct {
	struct cache cache;
	bool (*probe)(uintptr_t address); /* for struct memory */
	uintptr_t entry;                  /* of the program; 0: not known */
	uintptr_t stack;                  /* near the upper end of the first thread's */
} walks;

int walk_init(const struct recorder_program *program)
{
	void *cache = sys_memory(CACHE_BYTES);

	walks.probe = memory_probe_works() ? memory_probe_self : NULL;
	walks.entry = program->entry;
	walks.stack = program->stack;
	return cache && !cache_init(&walks.cache, cache, CACHE_BYTES) ? 0 : -ENOMEM;
}

/* Returns the first thread's stack. If a sandbox forbids probing memory, it is known to be mapped
 * from where it runs up to its end: the kernel keeps other mappings away from it. */
static struct window first_stack(const struct registers *registers)
{
	uintptr_t sp = registers->value[ARCH_FRAME_SP];

	if (sandbox_permits(SYS_rt_sigprocmask) || sp >= walks.stack ||
	    walks.stack - sp > FIRST_STACK_BYTES)
		return (struct window){ 0 };
	return (struct window){ .start = sp, .end = walks.stack };
}

/* Returns true if memory of scripts can be read: it is probed by a system call. */
static bool can_probe(void)
{
	return walks.probe && sandbox_permits(SYS_rt_sigprocmask);
}

static struct stack walk(struct writer *writer, const ucontext_t *uc)
{
	struct unwind unwind = {
		.objects = mapped_objects(),
		.cache = &walks.cache,
		.memory = { .read = memory_read_self, .own = true, .probe = walks.probe },
		.entry = walks.entry,
		.sps = interpreters_exist(mapped_interpreters()) ? writer->scripted.sps : NULL,
		.kept = interpreters_range(mapped_interpreters(), &writer->scripted.kept)
				? &writer->scripted.kept
				: NULL,
		.made = can_probe() ? interpreters_made(mapped_interpreters(), &writer->scripted,
							NULL, 0)
				    : NULL,
	};
	struct registers registers;
	int depth;

	registers_of(&registers, uc);
	if (sys_filter)
		unwind.memory.stack = first_stack(&registers);
	depth = unwind_walk(&unwind, &registers, writer->pcs, UNWIND_DEPTH);
	return (struct stack){ .pcs = writer->pcs,
			       .hashes = writer->hashes,
			       .depth = depth,
			       .certain = unwind.certain,
			       .end = stack_end(unwind.reason) };
}

/* Returns whether all code from the last certain frame on is known. Unknown code was mapped since
 * the last look. The walk ends there, or continues with a guess: then the sample may be complete,
 * but has no name. */
static bool is_known(const struct stack *stack)
{
	for (int i = stack->certain - 1; i < stack->depth; i++)
		if (!mapped_knows((uintptr_t)stack->pcs[i]))
			return false;
	return true;
}

static bool is_doubtful(const struct stack *stack)
{
	return stack->end != RECORD_STACK_COMPLETE || stack->certain < stack->depth;
}

/* Returns a stack of the innermost frame alone, of which only the address is known. */
static struct stack place_alone(struct writer *writer, uintptr_t pc)
{
	writer->pcs[0] = pc;
	return (struct stack){ .pcs = writer->pcs,
			       .hashes = writer->hashes,
			       .depth = 1,
			       .certain = 1,
			       .end = RECORD_STACK_NONE };
}

/* Adds the frames of scripts. */
static void add_scripts(struct writer *writer, const ucontext_t *uc, struct stack *stack)
{
	struct interpreters *interpreters = mapped_interpreters();
	struct registers registers;

	if (!interpreters_exist(interpreters) || !can_probe())
		return;
	registers_of(&registers, uc);
	interpreters_merge(interpreters, &writer->scripted, stack, instant_now(), &registers, NULL);
}

struct stack walk_stack(struct writer *writer, const struct sink_ticks *ticks, bool with_callers)
{
	struct stack stack;

	mapped_renew_if_outdated();
	if (!ticks->uc || !with_callers) {
		stack = place_alone(writer, ticks->pc);
		if (!is_known(&stack))
			mapped_learn();
		return stack;
	}
	stack = walk(writer, ticks->uc);
	if (is_doubtful(&stack) && !is_known(&stack) && mapped_learn())
		stack = walk(writer, ticks->uc);
	if (sys_filter && is_doubtful(&stack) && !sandbox_permits(SYS_rt_sigprocmask))
		room_lost_in_sandbox(RECORD_SANDBOX_STACKS);
	add_scripts(writer, ticks->uc, &stack);
	return stack;
}
