/* SPDX-License-Identifier: MIT */
#include "attach/calls_entry.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "arch/calls_layout.h"

struct calls_entry calls_entry_find(const struct calls_shared *shared, pid_t pid)
{
	for (size_t i = 0; shared && i < shared->count; i++)
		if (shared->entries[i].pid == pid)
			return shared->entries[i];
	return (struct calls_entry){ 0 };
}

/* A slot of the runtime now. */
struct slot_now {
	uint64_t entered; /* the time of its last call; UINT64_MAX: unreadable */
	uintptr_t at;     /* where that one's return address is on the stack; 0: it has returned */
	uintptr_t caller; /* the return address */
};

static struct slot_now read_slot(const struct calls_entry *entry, uintptr_t stub)
{
	uint64_t words[SLOT_BYTES / sizeof(uint64_t)];
	struct iovec from = { (void *)(stub + entry->stubs_bytes), sizeof(words) };
	struct iovec to = { words, sizeof(words) };
	uintptr_t sp;

	if (process_vm_readv(entry->pid, &to, 1, &from, 1, 0) != (ssize_t)sizeof(words))
		return (struct slot_now){ .entered = UINT64_MAX };
	sp = words[SLOT_SP / sizeof(uint64_t)];
	return (struct slot_now){ .entered = words[SLOT_ENTERED / sizeof(uint64_t)],
				  .at = sp == (uintptr_t)SP_NOBODY ? 0 : sp + SP_BELOW_FRAME,
				  .caller = words[SLOT_RETURN / sizeof(uint64_t)] };
}

/* Returns the offset of a return address in the stubs; larger than stubs_bytes: it is elsewhere. */
static uintptr_t offset_of(const struct calls_entry *entry, uintptr_t pc)
{
	return pc - 1 - entry->stubs;
}

/* Returns whether the copied stack has a stub's return address there. It need not be that of the
 * same slot: where a wrapped function jumps to another one, the place has two slots. */
static bool has_stub_at(const struct calls_entry *entry, const struct walker_stack *stack,
			uintptr_t address)
{
	uintptr_t offset = address - stack->registers.value[ARCH_FRAME_SP], found;

	if (!stack->copy || stack->copy_bytes < sizeof(found) ||
	    offset > stack->copy_bytes - sizeof(found))
		return false;
	memcpy(&found, stack->copy + offset, sizeof(found));
	return offset_of(entry, found) < entry->stubs_bytes;
}

/*
 * Returns whether the slot's caller may be that of the sample: the slot's call is from the same
 * place of the stack; or, if it has returned and left no place, the callers of
 * its caller are on the copied stack up to the thread's first function.
 */
static bool may_be_caller(const struct calls_entry *entry, const struct walker_stack *stack,
			  const struct walker_frames *frames, const struct slot_now *slot)
{
	if (!slot->at)
		return slot->entered != UINT64_MAX && frames->end == RECORD_STACK_COMPLETE;
	return has_stub_at(entry, stack, slot->at);
}

/* Tries the callers that the place of frame i has had. Returns false if none leads to the thread's
 * first function: the frames are as before then. */
static bool try_others(const struct calls_walk *walk, struct walker_stack *stack, uintptr_t slot,
		       uint32_t i, struct walker_frames *frames)
{
	uintptr_t others[CALLS_CALLERS_WAYS];
	size_t count = calls_callers_find(walk->callers, frames->sps[i], others);
	uint32_t certain = frames->certain;

	if (!count || stack->word_count == WALKER_WORDS)
		return false;
	stack->words[stack->word_count++].address = slot;
	for (size_t k = 0; k < count; k++) {
		stack->words[stack->word_count - 1].value = others[k];
		walk->walk(walk->argument, stack, frames);
		frames->certain = frames->certain < certain ? frames->certain : certain;
		if (frames->end == RECORD_STACK_COMPLETE && frames->depth > i + 1)
			return true;
	}
	stack->word_count--;
	walk->walk(walk->argument, stack, frames);
	frames->certain = frames->certain < certain ? frames->certain : certain;
	return false;
}

void calls_entry_doubt(const struct calls_entry *entry, const struct calls_walk *walk,
		       struct walker_stack *stack, uint64_t time, struct walker_frames *frames)
{
	for (uint32_t i = 1; i < frames->depth; i++) {
		uintptr_t offset = offset_of(entry, frames->pcs[i]), stub;
		struct slot_now slot;

		if (offset >= entry->stubs_bytes)
			continue;
		stub = entry->stubs + offset / SLOT_BYTES * SLOT_BYTES;
		slot = read_slot(entry, stub);
		/* The call that has the slot now is one that the program makes, at whatever time.
		 */
		if (walk && slot.at)
			calls_callers_note(walk->callers, slot.at + sizeof(uintptr_t), slot.caller);
		if (slot.entered <= time)
			continue;
		if (frames->certain > i + 1)
			frames->certain = i + 1;
		if (may_be_caller(entry, stack, frames, &slot) ||
		    (walk && try_others(walk, stack, stub + entry->stubs_bytes, i, frames)))
			continue;
		frames->depth = i + 1;
		frames->end = RECORD_STACK_BROKEN;
	}
}

struct walk_of {
	struct walker *walker;
	pid_t pid;
};

static void walk_again(void *argument, const struct walker_stack *stack,
		       struct walker_frames *frames)
{
	const struct walk_of *of = argument;

	walker_walk(of->walker, of->pid, stack, frames);
}

void calls_entry_check(const struct calls_entry *entry, struct calls_callers **callers,
		       struct walker *walker, struct walker_stack *stack, uint64_t time,
		       struct walker_frames *frames)
{
	struct walk_of of = { walker, entry->pid };
	struct calls_walk walk = { .walk = walk_again, .argument = &of };

	if (!entry->stubs_bytes)
		return;
	if (!*callers)
		*callers = calloc(1, sizeof(**callers));
	walk.callers = *callers;
	calls_entry_doubt(entry, *callers ? &walk : NULL, stack, time, frames);
}
