/* SPDX-License-Identifier: MIT
 *
 * entry.c - the parts of entry.h that are the same on every CPU.
 *
 * Calls nothing of libc.
 */
#include "entry.h"

/* Returns whether the flow never reaches the next instruction. */
static bool ends(enum arch_flow flow)
{
	return flow == ARCH_FLOW_JUMP || flow == ARCH_FLOW_END;
}

enum entry_refusal arch_entry_plan(struct arch_entry *entry, const uint8_t *bytes, uint64_t address,
				   uint64_t size, unsigned jump)
{
	struct arch_instruction one;
	unsigned end, needed;
	bool is_over = false;

	*entry = (struct arch_entry){ .skip = (uint8_t)arch_entry_skip(bytes),
				      .signs = arch_entry_signs(bytes),
				      .jump = (uint8_t)jump };
	if (entry->signs)
		entry->at[entry->count++] = 0;
	end = entry->skip;
	needed = end + jump;
	while (end < needed) {
		arch_decode(bytes + end, address + end, &one);
		if (is_over) {
			/* Padding behind the function may be overwritten, nothing else. */
			if (one.flow != ARCH_FLOW_PADDING)
				return ENTRY_SHORT;
		} else if (end >= size) {
			return ENTRY_SHORT;
		} else if (!arch_entry_can_move(&one, bytes + end)) {
			return ENTRY_UNMOVABLE;
		} else {
			entry->at[entry->count++] = (uint8_t)end;
			entry->waits = entry->waits || one.is_system_call;
			is_over = ends(one.flow);
		}
		end += one.length;
		/* A call that returns into the replaced bytes. */
		if (!is_over && end < needed &&
		    (one.flow == ARCH_FLOW_CALL || one.flow == ARCH_FLOW_CALL_TO))
			return ENTRY_UNMOVABLE;
	}
	entry->end = (uint8_t)end;
	entry->returns = !is_over && one.flow != ARCH_FLOW_CALL && one.flow != ARCH_FLOW_CALL_TO;
	return ENTRY_FINE;
}

unsigned arch_entry_copy(struct arch_entry *entry, const uint8_t *bytes, uint64_t from, uint8_t *to,
			 uint64_t address)
{
	struct arch_code copy = { .bytes = to, .address = address };

	entry->pushed_at = 0;
	entry->signed_at = 0;
	for (unsigned i = 0; i < entry->count; i++) {
		entry->copy_at[i] = (uint8_t)copy.used;
		arch_entry_put(&copy, entry, bytes + entry->at[i], from + entry->at[i]);
	}
	entry->copy_at[entry->count] = (uint8_t)copy.used;
	if (entry->returns)
		arch_entry_put_jump(&copy, from + entry->end);
	return copy.is_far ? 0 : copy.used;
}

bool arch_entry_jump(uint8_t bytes[ARCH_ENTRY_JUMP], uint64_t from, uint64_t to)
{
	struct arch_code copy = { .bytes = bytes, .address = from };

	arch_entry_put_jump(&copy, to);
	return !copy.is_far;
}
