/* SPDX-License-Identifier: MIT */
#include "attach/inject/returns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "base/vec.h"
#include "calls_layout.h"
#include "wrapper.h"

#define LINKS_BYTES (ARCH_REMOTE_LINKS * sizeof(uintptr_t)) /* of a thread */

static bool is_stub(const struct layout *layout, uintptr_t address)
{
	return address - layout->stubs < layout->stubs_end - layout->stubs;
}

/* Returns whether one of the words may be the address of a stub, signed or not. */
static bool may_be_stubs(const struct layout *layout, const uintptr_t *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (is_stub(layout, arch_return_address(words[i])))
			return true;
	return false;
}

static int caller_of(const struct layout *layout, uintptr_t stub, uintptr_t *caller)
{
	return remote_get(layout->pid, stub - ARCH_STUB_CALL_BYTES + ARENA_BYTES + SLOT_RETURN,
			  caller, sizeof(*caller));
}

static void replace(uintptr_t *words, size_t count, uintptr_t stub, uintptr_t caller)
{
	for (size_t i = 0; i < count; i++)
		if (arch_return_address(words[i]) == stub)
			words[i] = caller;
}

static bool is_followed(const struct walker_frames *frames)
{
	return frames->end == RECORD_STACK_COMPLETE && frames->certain == frames->depth;
}

static bool has_stubs(const struct layout *layout, const struct walker_frames *frames)
{
	for (uint32_t i = 0; i < frames->depth; i++)
		if (is_stub(layout, frames->pcs[i]))
			return true;
	return false;
}

static bool may_have_stubs(const struct layout *layout, const struct layout_stack *stack)
{
	return !stack->count || may_be_stubs(layout, stack->registers, ARCH_REMOTE_LINKS) ||
	       may_be_stubs(layout, stack->words, stack->count);
}

/* Adds the call that leads to the stub, whose frame ends at `end`, and replaces its return address
 * in the copy. `registers` is the offset of the thread's in the process's memory. */
static int add_call(struct returns *returns, const struct layout *layout,
		    struct layout_stack *stack, uintptr_t stub, uintptr_t end, size_t registers)
{
	size_t words = (end - stack->sp) / sizeof(uintptr_t);
	struct injected_call *more = vec_room(returns->calls, returns->count, sizeof(*more));
	uintptr_t caller;

	if (!more)
		return -ENOMEM;
	returns->calls = more;
	if (end < stack->sp || words > stack->count || caller_of(layout, stub, &caller))
		return -EAGAIN;
	more[returns->count++] = (struct injected_call){ .stub = stub,
							 .stack = stack->sp,
							 .stack_end = end,
							 .registers = registers,
							 .registers_end = registers + LINKS_BYTES };
	replace(stack->words, words, stub, caller);
	replace(stack->registers, ARCH_REMOTE_LINKS, stub, caller);
	return 0;
}

/* Adds the calls of a thread. The copy of its stack proves that these are all the places: with the
 * callers in them, a walk meets no stub any more. */
static int add_thread(struct returns *returns, struct layout *layout, const struct remote *remote,
		      size_t registers)
{
	struct layout_stack stack;
	struct walker_frames frames;
	int err = 0;

	layout_copy(layout, remote, &stack);
	layout_walk_copy(layout, &stack, &frames);
	if (!is_followed(&frames)) {
		err = may_have_stubs(layout, &stack) ? -EAGAIN : 0;
	} else if (has_stubs(layout, &frames)) {
		for (uint32_t i = 0; i < frames.depth && !err; i++)
			if (is_stub(layout, frames.pcs[i]))
				err = add_call(returns, layout, &stack, frames.pcs[i],
					       frames.sps[i], registers);
		if (!err) {
			layout_walk_copy(layout, &stack, &frames);
			err = is_followed(&frames) && !has_stubs(layout, &frames) ? 0 : -EAGAIN;
		}
	}
	free(stack.words);
	return err;
}

/* Writes registers and calls to memory that the process maps. */
static int publish(struct returns *returns, const struct crew *crew, struct remote *borrowed)
{
	size_t registers = crew->count * LINKS_BYTES;
	const uintptr_t map[6] = { 0,
				   registers + returns->count * sizeof(*returns->calls),
				   PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS,
				   (uintptr_t)-1,
				   0 };
	long memory = remote_syscall(borrowed, SYS_mmap, map);
	int err = 0;

	if (memory < 0)
		return (int)memory;
	returns->memory = (uintptr_t)memory;
	returns->bytes = map[1];
	for (size_t i = 0; i < returns->count; i++) {
		returns->calls[i].registers += returns->memory;
		returns->calls[i].registers_end += returns->memory;
	}
	for (size_t i = 0; i < crew->count && !err; i++) {
		uintptr_t values[ARCH_FRAME_REGISTERS];

		arch_remote_unwind(values, &crew->threads[i].before.registers);
		err = remote_put(borrowed->pid, returns->memory + i * LINKS_BYTES, values,
				 LINKS_BYTES);
	}
	if (!err)
		err = remote_put(borrowed->pid, returns->memory + registers, returns->calls,
				 returns->count * sizeof(*returns->calls));
	return err;
}

int returns_find(struct returns *returns, struct layout *layout, const struct crew *crew,
		 struct remote *borrowed)
{
	int err = 0;

	*returns = (struct returns){ 0 };
	if (ARCH_RETURN_ON_STACK)
		return 0;
	for (size_t i = 0; i < crew->count && !err; i++)
		err = add_thread(returns, layout, &crew->threads[i], i * LINKS_BYTES);
	return err || !returns->count ? err : publish(returns, crew, borrowed);
}

/* Gives a thread the registers that the process has for it. */
static int apply(struct remote *remote, uintptr_t memory)
{
	uintptr_t values[ARCH_FRAME_REGISTERS], changed[ARCH_FRAME_REGISTERS];
	int err = remote_get(remote->pid, memory, changed, LINKS_BYTES);

	arch_remote_unwind(values, &remote->before.registers);
	if (err || memcmp(values, changed, LINKS_BYTES) == 0)
		return err;
	arch_remote_set_links(&remote->before.registers, changed);
	return remote->is_borrowed ? 0 : arch_remote_set(remote->tid, &remote->before.registers);
}

int returns_apply(const struct returns *returns, struct crew *crew)
{
	int err = 0;

	for (size_t i = 0; returns->memory && i < crew->count && !err; i++)
		err = apply(&crew->threads[i], returns->memory + i * LINKS_BYTES);
	return err;
}

uintptr_t returns_list(const struct returns *returns, const struct crew *crew)
{
	return returns->memory + crew->count * LINKS_BYTES;
}

void returns_free(struct returns *returns, struct remote *borrowed)
{
	const uintptr_t unmap[6] = { returns->memory, returns->bytes };

	if (returns->memory)
		remote_syscall(borrowed, SYS_munmap, unmap);
	free(returns->calls);
	*returns = (struct returns){ 0 };
}
