/* SPDX-License-Identifier: MIT */
#include "stored_return.h"

#include "arena.h"
#include "runtime/process/probe.h"

/* The limit of the search: frames are rarely larger, and the caller may be in a hurry. */
#define SEARCH_BYTES ((uintptr_t)1 << 16)
#define PAGE         ((uintptr_t)4096)
/* The part of a function that is searched: it signs its return address near its beginning. */
#define CODE_BYTES ((uintptr_t)256)

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

/* A return address as functions store it: those that sign, and the others. */
struct address {
	uintptr_t plain, with_signature;
};

static struct address address_of(uintptr_t plain, uintptr_t sp)
{
	return (struct address){ plain, arch_sign_return(plain, sp) };
}

/* Returns whether the function signs its return address, by its code, up to the end of a page. */
static bool function_signs(const struct slot *slot)
{
	const struct callee *callee = &calls_functions[slot->tally->seen.function];
	uintptr_t start = (uintptr_t)callee->target, page_end = (start | (PAGE - 1)) + 1;

	return start && !callee->closed &&
	       arch_code_signs(callee->target,
			       page_end - start < CODE_BYTES ? page_end - start : CODE_BYTES);
}

/* Returns the word that the function would store instead of `word`, which it has stored for the
 * stub. One of 128 signatures or so is 0: then the word does not show if the function signs. */
static uintptr_t instead(const struct slot *slot, uintptr_t word, const struct address *stub,
			 const struct address *caller)
{
	bool is_signed;

	if (caller->plain == caller->with_signature)
		return caller->plain;
	is_signed = stub->plain == stub->with_signature ? function_signs(slot)
							: word == stub->with_signature;
	return is_signed ? caller->with_signature : caller->plain;
}

static uintptr_t entry_sp(const struct slot *slot)
{
	return slot->sp + SP_BELOW_FRAME + ARCH_ENTRY_ABOVE_FRAME;
}

/* Replaces the word if it is the return address, and if it is known whether it is signed: a call
 * that was accounted for has no function any more. */
static bool replace_word(const struct slot *slot, uintptr_t *word, const struct address *stub,
			 const struct address *caller)
{
	if (*word != stub->plain && *word != stub->with_signature)
		return false;
	if (stub->plain == stub->with_signature && caller->plain != caller->with_signature &&
	    !slot->tally)
		return false;
	*word = instead(slot, *word, stub, caller);
	return true;
}

unsigned stored_return_replace_in(const struct slot *slot, uintptr_t start, uintptr_t end)
{
	struct address stub = address_of(arena_stub_return(slot), entry_sp(slot));
	struct address caller = address_of(slot->return_address, entry_sp(slot));
	unsigned count = 0;

	for (uintptr_t at = start; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t))
		count += replace_word(slot, (uintptr_t *)at, &stub, &caller);
	return count;
}

/* Replaces the one that is nearest to where the function began: others are copies. */
static enum stored_return replace_below(const struct slot *slot)
{
	uintptr_t start = entry_sp(slot);
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	bool in_remains = here - slot->sp < REMAINS_BYTES;
	uintptr_t end = start - (in_remains ? NEAR_BYTES : SEARCH_BYTES);
	struct address stub = address_of(arena_stub_return(slot), start);
	struct address caller = address_of(slot->return_address, start);

	/* Our own frames are where its frame would be. */
	if (slot->sp > here)
		return STORED_LOST;
	/* It was searched before. */
	if (!slot->tally)
		return STORED_UNKNOWN;
	for (uintptr_t at = start - sizeof(uintptr_t); at > end; at -= sizeof(uintptr_t)) {
		uintptr_t *word = (uintptr_t *)at;

		if ((at == start - sizeof(uintptr_t) || at % PAGE == PAGE - sizeof(uintptr_t)) &&
		    !probe_writable(word))
			break;
		if (replace_word(slot, word, &stub, &caller))
			return STORED_REPLACED;
	}
	return in_remains ? STORED_LOST : STORED_UNKNOWN;
}

enum stored_return stored_return_replace(const struct slot *slot)
{
	return ARCH_RETURN_ON_STACK ? replace_in_frame(slot) : replace_below(slot);
}
