/* SPDX-License-Identifier: MIT */
#include "interpreters.h"

#include <string.h>

#include "place.h"

#define AHEAD_ELSEWHERE 256 /* objects that another process has pushed since */

static const struct interpreter *const kinds[] = { &interpreter_cpython, &interpreter_java,
						   &interpreter_lua,     &interpreter_perl,
						   &interpreter_php,     &interpreter_ruby };

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

void interpreters_mapped(struct interpreters *interpreters, struct peek *peek,
			 const struct object *object, uintptr_t start, struct room *names)
{
	struct dynsym symbols;

	if (!dynsym_open(&symbols, peek, object))
		return;
	specific_read(&interpreters->specific, &symbols);
	if (interpreters_exist(interpreters))
		return;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct interpreter_found found = { .vm = &interpreters->vm };
		enum record_interpreter_state state = kinds[i]->find(&symbols, &found);

		if (state == RECORD_INTERPRETER_NONE)
			continue;
		if (state == RECORD_INTERPRETER_WALKED && scripts_init(&interpreters->scripts))
			state = RECORD_INTERPRETER_UNKNOWN;
		note(kinds[i], state, found.version, names);
		if (state != RECORD_INTERPRETER_WALKED)
			continue;
		interpreters->found = found;
		interpreters->start = start;
		atomic_store(&interpreters->below, 0);
		atomic_store_explicit(&interpreters->is_there, true, memory_order_release);
		return;
	}
}

void interpreters_gone(struct interpreters *interpreters, uintptr_t start)
{
	if (start == interpreters->start)
		atomic_store(&interpreters->is_there, false);
}

bool interpreters_exist(const struct interpreters *interpreters)
{
	return atomic_load_explicit(&interpreters->is_there, memory_order_acquire);
}

void interpreters_forget(struct interpreters *interpreters)
{
	scripts_free(&interpreters->scripts);
	*interpreters = (struct interpreters){ 0 };
}

uint64_t interpreters_innermost(struct interpreters *interpreters, struct peek_known *known,
				struct scripts_writer *writer, uint64_t time)
{
	uint64_t address = 0;
	struct script_walk walk = { .found = &interpreters->found,
				    .specific = &interpreters->specific,
				    .scripts = &interpreters->scripts,
				    .writer = writer,
				    .time = time,
				    .is_whole = true,
				    .pcs = &address };

	peek_begin(&walk.peek, known, time);
	if (!walk.found->kind->innermost(&walk))
		return INTERPRETERS_UNREADABLE;
	return walk.count ? address : INTERPRETERS_NO_FUNCTION;
}

bool interpreters_range(const struct interpreters *interpreters, struct unwind_kept *kept)
{
	const struct interpreter_found *found = &interpreters->found;

	if (!interpreters_exist(interpreters) || !found->kind->activation)
		return false;
	kept->start = found->evaluation;
	kept->end = found->evaluation_end;
	memcpy(kept->registers, found->held->registers, sizeof(kept->registers));
	kept->globals = found->globals;
	return true;
}

/* Implements step() of struct unwind_made. */
static int step_made(struct unwind_made *made, struct registers *registers, int frame)
{
	struct script_steps *steps = (struct script_steps *)made;

	return steps->found->kind->step(steps, registers, &steps->notes[frame]);
}

struct unwind_made *interpreters_made(struct interpreters *interpreters,
				      struct interpreters_space *space,
				      const struct peek_source *source, uintptr_t stack_end)
{
	struct script_steps *steps = &space->steps;
	enum record_interpreter_state state;

	if (!interpreters_exist(interpreters) || !interpreters->found.kind->step)
		return NULL;
	steps->made = (struct unwind_made){ .step = step_made };
	steps->found = &interpreters->found;
	steps->peek = (struct peek){ .source = source };
	steps->stack_end = stack_end;
	steps->mark = false;
	state = interpreters->found.kind->ready(steps);
	if (state == RECORD_INTERPRETER_UNKNOWN &&
	    !atomic_exchange(&interpreters->is_unknown, true))
		note(interpreters->found.kind, state, interpreters->vm.version * 100,
		     &space->scripts.room);
	return state == RECORD_INTERPRETER_WALKED ? &steps->made : NULL;
}

/* A stack being merged. */
struct merging {
	struct interpreters *interpreters;
	struct interpreters_space *space;
	int depth; /* of what is merged */
	bool is_cut;
	uintptr_t below; /* as of struct interpreters */
	bool more;       /* the walk is at an activation */
	int missed;      /* native frames of the evaluation function without an activation */
	struct place_stack stack;
	const struct registers *registers; /* of the innermost frame; NULL: not known */
	uintptr_t running;                 /* the object of the innermost frame, by its registers */
	const struct interpreters_elsewhere *elsewhere;
	uintptr_t inner; /* the end of the native frames whose activations have been merged */
	int held;        /* frames of space->kept that have had their turn */
};

static inline void put(struct merging *merging, uint64_t pc)
{
	if (merging->depth < SCRIPT_DEPTH)
		merging->space->merged[merging->depth++] = pc;
	else
		merging->is_cut = true;
}

static void put_all(struct merging *merging, const struct script_walk *walk)
{
	int space = SCRIPT_DEPTH - merging->depth;
	int count = walk->count < space ? walk->count : space;
	uint64_t *to = &merging->space->merged[merging->depth];

	for (int i = 0; i < count; i++)
		to[i] = walk->pcs[i];
	merging->depth += count;
	merging->is_cut = merging->is_cut || walk->is_cut || count < walk->count;
}

static inline bool is_here(const struct merging *merging, int frame, struct script_walk *walk)
{
	if (!merging->more)
		return false;
	if (!frame && merging->running)
		return walk->object == merging->running;
	return place_is_here(&merging->stack, frame, walk, merging->below);
}

static void learn(struct merging *merging, uintptr_t below)
{
	if (merging->below != below)
		atomic_store_explicit(&merging->interpreters->below, below, memory_order_relaxed);
	merging->below = below;
}

/* Goes back to an activation after another one was tried. */
static bool go_back(struct script_walk *walk, uintptr_t from, uintptr_t last)
{
	walk->at = from;
	walk->last = last;
	return walk->found->kind->next(walk);
}

/* Finds the activation of a native frame that the walk has missed: a new activation may be linked
 * before it leads to the next one. All have their anchor at the same place of the native frame. */
static void recover_anchor(struct merging *merging, struct script_walk *walk, uintptr_t caller)
{
	const struct interpreter *kind = walk->found->kind;
	uintptr_t from = walk->from, last = walk->last;
	bool more = merging->more;

	if (!merging->below)
		return;
	merging->more = kind->resume(walk, caller - merging->below) && (walk->count || !more);
	if (!merging->more && more)
		merging->more = go_back(walk, from, last);
}

/* Finds the activation of a native frame behind objects that have none: one that is being pushed,
 * or those that another process has pushed since. */
static void recover_object(struct merging *merging, int frame, struct script_walk *walk)
{
	uintptr_t from = walk->from, last = walk->last;
	int ahead = merging->elsewhere ? AHEAD_ELSEWHERE : 1;

	for (int i = 0; i < ahead && merging->more; i++) {
		merging->more = walk->found->kind->next(walk);
		if (is_here(merging, frame, walk))
			return;
	}
	merging->more = go_back(walk, from, last);
}

/* Finds the object of the innermost frame in its registers while it is being pushed or popped: it
 * is the thread's first, or that is its caller. */
static void recover_running(struct merging *merging, struct script_walk *walk)
{
	const struct interpreter *kind = walk->found->kind;
	uintptr_t first = walk->object, from = walk->from, last = walk->last;

	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS && !merging->running; i++) {
		uintptr_t value = merging->registers->value[i];

		if (!value || value % sizeof(value) || !kind->resume(walk, value) || !walk->count)
			continue;
		if (value == first || walk->at == first)
			merging->running = value;
	}
	if (!merging->running)
		merging->more = go_back(walk, from, last);
}

static bool recover(struct merging *merging, int frame, struct script_walk *walk)
{
	bool here;

	if (merging->more && !walk->anchor && !frame && merging->registers)
		recover_running(merging, walk);
	else if (merging->more && !walk->anchor)
		recover_object(merging, frame, walk);
	else if (walk->found->kind->resume && !walk->object)
		recover_anchor(merging, walk, merging->stack.sps[frame + 1]);
	here = is_here(merging, frame, walk);
	merging->missed += !here;
	return here;
}

/* Returns true if the activation has run the code that its memory shows now when the stack was
 * sampled. The stack of this process holds still. */
static bool is_of_sample(const struct merging *merging, const struct script_walk *walk,
			 uintptr_t caller)
{
	const struct interpreters_elsewhere *elsewhere = merging->elsewhere;
	struct window part = { merging->inner, caller, 0 };
	bool is = !elsewhere ||
		  elsewhere->ran(elsewhere->source.context, part, walk->code, walk->code_end);

	for (int i = 0; i < walk->part_count && !is; i++)
		is = elsewhere->ran(elsewhere->source.context, part, walk->parts[i].start,
				    walk->parts[i].end);
	return is;
}

/* Adds the activation that the walk is at, which belongs to a native frame. */
static void add(struct merging *merging, const struct script_walk *walk, uintptr_t caller)
{
	if (is_of_sample(merging, walk, caller))
		put_all(merging, walk);
	merging->inner = caller;
}

/* Adds the activation that a native frame holds. */
static void merge_held(struct merging *merging, int frame, struct script_walk *walk)
{
	const struct unwind_kept *kept = &merging->space->kept;

	if (merging->held == kept->count || kept->frames[merging->held].frame != frame)
		return;
	walk->native = merging->held;
	walk->kept = kept->frames[merging->held++].value;
	walk->outer = merging->held < kept->count ? kept->frames[merging->held].value : NULL;
	walk->count = 0;
	walk->part_count = 0;
	walk->is_cut = false;
	walk->is_taken = false;
	if (frame + 1 >= merging->stack.depth || !walk->found->kind->activation(walk))
		return;
	if (walk->is_taken)
		merging->depth--;
	add(merging, walk, merging->stack.sps[frame + 1]);
}

/* Adds what a native frame of code stands for that the interpreter has made. */
static void merge_compiled(struct merging *merging, int frame, struct script_walk *walk)
{
	const struct script_steps *steps = &merging->space->steps;

	walk->pc = (uintptr_t)merging->stack.pcs[frame];
	if (walk->pc <= steps->made.start || walk->pc >= steps->made.end)
		return;
	walk->sp = merging->stack.sps[frame];
	walk->note = steps->notes[frame];
	walk->registers = frame ? NULL : merging->registers;
	walk->count = 0;
	walk->is_cut = false;
	if (frame < steps->made.count && walk->found->kind->compiled(walk))
		put_all(merging, walk);
}

/* Goes to the next activation. They ascend: a link that is torn may lead back. */
static void go_on(struct merging *merging, struct script_walk *walk)
{
	uintptr_t anchor = walk->anchor, object = walk->object;

	merging->more = walk->found->kind->next(walk) &&
			(walk->anchor ? walk->anchor > anchor : walk->object != object);
}

/* Adds the activations that are linked to a native frame. */
static void merge_linked(struct merging *merging, int frame, struct script_walk *walk)
{
	const uintptr_t *sps = merging->stack.sps;
	bool evaluates = place_evaluates(&merging->stack, frame, walk->found);
	bool here = is_here(merging, frame, walk);

	if (evaluates && !here)
		here = recover(merging, frame, walk);
	while (here) {
		if (evaluates && walk->anchor)
			learn(merging, sps[frame + 1] - walk->anchor);
		add(merging, walk, sps[frame + 1]);
		go_on(merging, walk);
		/* Objects have a native frame each. */
		here = walk->anchor && is_here(merging, frame, walk);
	}
}

static void begin(struct merging *merging, struct script_walk *walk)
{
	merging->more = walk->found->kind->begin(walk);
	/* Elsewhere, the thread may have gone deeper since. */
	while (merging->more && merging->elsewhere && walk->anchor && walk->anchor < walk->stack)
		merging->more = walk->found->kind->next(walk);
}

static void merge(struct merging *merging, struct stack *stack, struct script_walk *walk)
{
	const struct interpreter *kind = walk->found->kind;
	bool is_compiled = kind->compiled, is_held = kind->activation;
	int certain = stack->certain;

	if (kind->begin)
		begin(merging, walk);
	for (int i = 0; i < stack->depth; i++) {
		put(merging, stack->pcs[i]);
		if (is_compiled)
			merge_compiled(merging, i, walk);
		else if (is_held)
			merge_held(merging, i, walk);
		else
			merge_linked(merging, i, walk);
		if (i + 1 == stack->certain)
			certain = merging->depth;
	}
	stack->certain = certain < merging->depth ? certain : merging->depth;
}

/* Notes the pages of the native stack, from whose frames return addresses were read. */
static void know_stack(const struct merging *merging, struct peek *peek)
{
	uintptr_t known = 0;

	for (int i = 1; i < merging->stack.depth; i++) {
		uintptr_t at = merging->stack.sps[i] - sizeof(uintptr_t);

		if (at / PEEK_PAGE != known)
			peek_know(peek, at);
		known = at / PEEK_PAGE;
	}
}

/* Learns the place of objects. One that was learnt from a single frame may be wrong. */
static void learn_place(struct merging *merging, struct script_walk *walk)
{
	struct script_walk again = *walk;
	uintptr_t below = walk->object ? place_learn(&merging->stack, &again) : 0;

	if (below)
		learn(merging, below);
}

void interpreters_merge(struct interpreters *interpreters, struct interpreters_space *space,
			struct stack *stack, uint64_t time, const struct registers *registers,
			const struct interpreters_elsewhere *elsewhere)
{
	struct merging merging = { .interpreters = interpreters,
				   .space = space,
				   .below = atomic_load_explicit(&interpreters->below,
								 memory_order_relaxed),
				   .elsewhere = elsewhere,
				   .registers = registers,
				   .inner = space->sps[0],
				   .stack = { stack->pcs, space->sps, stack->depth } };
	struct script_walk walk = { .found = &interpreters->found,
				    .specific = &interpreters->specific,
				    .scripts = &interpreters->scripts,
				    .writer = &space->scripts,
				    .time = time,
				    .peek = { .source = elsewhere ? &elsewhere->source : NULL },
				    .is_complete = stack->end == RECORD_STACK_COMPLETE &&
						   space->kept.count < UNWIND_KEPT_FRAMES,
				    .is_settled = !place_evaluates(&merging.stack, 0,
								   &interpreters->found),
				    .native_pcs = stack->pcs,
				    .natives = &space->kept,
				    .stack = space->sps[0],
				    .stack_end = space->sps[stack->depth - 1],
				    .pcs = space->frames };

	if (walk.found->kind->step)
		walk.peek = space->steps.peek;
	peek_begin(&walk.peek, &space->known, time);
	know_stack(&merging, &walk.peek);
	merge(&merging, stack, &walk);
	if (merging.missed)
		learn_place(&merging, &walk);
	stack->pcs = space->merged;
	stack->depth = merging.depth;
	if (merging.is_cut)
		stack->end = RECORD_STACK_TOO_DEEP;
}
