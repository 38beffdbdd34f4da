/* SPDX-License-Identifier: MIT */
#include "interpreters.h"

#include <stdatomic.h>

static const struct interpreter *const kinds[] = { &interpreter_cpython };

/* Invariant: `found` is not changed while `is_there`. */
static struct {
	struct interpreter_found found;
	uintptr_t start; /* of the mapping it was found in */
	_Atomic bool is_there;
} process;

static void note(const struct interpreter *kind, enum record_interpreter_state state,
		 uint32_t version, struct room *names)
{
	struct record_interpreter *item = names ? room_take(names, sizeof(*item)) : NULL;

	if (!item)
		return;
	item->language = kind->language;
	item->state = state;
	item->version = version;
	room_publish(&item->item, RECORD_INTERPRETER);
}

void interpreters_mapped(const struct object *object, uintptr_t start, struct room *names)
{
	struct dynsym symbols;

	if (interpreters_exist() || !dynsym_open(&symbols, object))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct interpreter_found found = { 0 };
		enum record_interpreter_state state = kinds[i]->find(&symbols, &found);

		if (state == RECORD_INTERPRETER_NONE)
			continue;
		if (state == RECORD_INTERPRETER_WALKED && scripts_init())
			state = RECORD_INTERPRETER_UNKNOWN;
		note(kinds[i], state, found.version, names);
		if (state != RECORD_INTERPRETER_WALKED)
			continue;
		process.found = found;
		process.start = start;
		atomic_store_explicit(&process.is_there, true, memory_order_release);
		return;
	}
}

void interpreters_gone(uintptr_t start)
{
	if (start == process.start)
		atomic_store(&process.is_there, false);
}

bool interpreters_exist(void)
{
	return atomic_load_explicit(&process.is_there, memory_order_acquire);
}

/* A stack being merged. */
struct merging {
	struct interpreters_space *space;
	int depth;
	bool is_cut;
};

static void put(struct merging *merging, const uintptr_t *pcs, int count)
{
	for (int i = 0; i < count; i++) {
		if (merging->depth == SCRIPT_DEPTH) {
			merging->is_cut = true;
			return;
		}
		merging->space->merged[merging->depth++] = pcs[i];
	}
}

/* Returns true if an address is in a native frame: from its stack pointer up to its caller's. The
 * outermost is the start of the thread. */
static bool is_in(const struct interpreters_space *space, const struct stack *stack, int frame,
		  uintptr_t address)
{
	return frame + 1 < stack->depth && space->sps[frame] <= address &&
	       address < space->sps[frame + 1];
}

static void merge(struct merging *merging, struct stack *stack, struct script_walk *walk)
{
	int certain = stack->certain;
	bool more = walk->found->kind->begin(walk);

	for (int i = 0; i < stack->depth; i++) {
		put(merging, &stack->pcs[i], 1);
		while (more && is_in(merging->space, stack, i, walk->anchor)) {
			put(merging, walk->pcs, walk->count);
			merging->is_cut = merging->is_cut || walk->is_cut;
			more = walk->found->kind->next(walk);
		}
		if (i + 1 == stack->certain)
			certain = merging->depth;
	}
	stack->certain = certain < merging->depth ? certain : merging->depth;
}

void interpreters_merge(struct interpreters_space *space, struct stack *stack)
{
	struct merging merging = { .space = space };
	struct script_walk walk = { .found = &process.found,
				    .writer = &space->scripts,
				    .pcs = space->frames };

	merge(&merging, stack, &walk);
	stack->pcs = space->merged;
	stack->depth = merging.depth;
	if (merging.is_cut)
		stack->end = RECORD_STACK_TOO_DEEP;
}
