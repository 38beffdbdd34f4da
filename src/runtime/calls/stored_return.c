/* SPDX-License-Identifier: MIT */
#include "stored_return.h"

#include "arena.h"
#include "runtime/process/probe.h"

/* The limit of the search: frames are rarely larger, and the caller may be in a hurry. */
#define SEARCH_BYTES ((uintptr_t)1 << 16)
#define PAGE         ((uintptr_t)4096)

/*
 * That far below our own frames there are remains of other functions' frames: the old contents are
 * overwritten. A stack that is switched to is larger than that.
 */
#define REMAINS_BYTES ((uintptr_t)1 << 13)
#define NEAR_BYTES    ((uintptr_t)1 << 10) /* to be searched there */

static enum stored_return replace_in_frame(const struct slot *slot)
{
	uintptr_t *word = (uintptr_t *)(slot->sp + SP_BELOW_FRAME);

	if (*word == arena_stub(slot))
		return STORED_NOT_YET;
	if (*word != arena_stub_return(slot))
		return STORED_LOST;
	*word = slot->return_address;
	return STORED_REPLACED;
}

/*
 * Returns the word that the function would store instead of `word`, which it has stored for the
 * stub; 0: `word` is something else.
 */
static uintptr_t instead(const struct slot *slot, uintptr_t word)
{
	uintptr_t sp = slot->sp + SP_BELOW_FRAME + ARCH_ENTRY_ABOVE_FRAME;
	uintptr_t expected = arena_stub_return(slot);

	if (word == expected)
		return slot->return_address;
	return word == arch_sign_return(expected, sp) ? arch_sign_return(slot->return_address, sp)
						      : 0;
}

/* Replaces the one that is nearest to where the function began: others are copies. */
static enum stored_return replace_below(const struct slot *slot)
{
	uintptr_t start = slot->sp + SP_BELOW_FRAME + ARCH_ENTRY_ABOVE_FRAME;
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	bool in_remains = here - slot->sp < REMAINS_BYTES;
	uintptr_t end = start - (in_remains ? NEAR_BYTES : SEARCH_BYTES);

	/* Our own frames are where its frame would be. */
	if (slot->sp > here)
		return STORED_LOST;
	/* It was searched before. */
	if (!slot->tally)
		return STORED_UNKNOWN;
	for (uintptr_t at = start - sizeof(uintptr_t); at > end; at -= sizeof(uintptr_t)) {
		uintptr_t *word = (uintptr_t *)at, other;

		if ((at == start - sizeof(uintptr_t) || at % PAGE == PAGE - sizeof(uintptr_t)) &&
		    !probe_writable(word))
			break;
		other = instead(slot, *word);
		if (other) {
			*word = other;
			return STORED_REPLACED;
		}
	}
	return in_remains ? STORED_LOST : STORED_UNKNOWN;
}

enum stored_return stored_return_replace(const struct slot *slot)
{
	return ARCH_RETURN_ON_STACK ? replace_in_frame(slot) : replace_below(slot);
}
