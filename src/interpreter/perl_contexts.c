/* SPDX-License-Identifier: MIT
 *
 * perl_contexts.c - activations of Perl in its contexts: perl.c explains them.
 */
#include "perl.h"

#include "fields.h"
#include "scripts.h"

#define WORD      ((uintptr_t)8)
#define STEPS_MAX 16384 /* contexts and stacks of a state: more is a loop */
#define LINES     65536 /* addresses of a function: its last line is not known */

/* ---- contexts ---- */

/* A walk through all contexts of functions, the innermost first. */
struct contexts {
	struct script_walk *walk;
	const struct perl_layout *layout;
	uintptr_t state;
	uintptr_t stack, context; /* the context is 0: none, or no longer */
	int steps;
	bool has_main;    /* the outermost activation is the program's */
	bool is_torn;     /* something cannot be read */
	uintptr_t cop;    /* where the next function outwards is */
	int activation;   /* whose turn it is */
	int frames;       /* of it, up to now */
	bool is_repeated; /* the outermost one of it is called repeatedly */
	int wanted;       /* is shown; -1: none */
	bool is_called;   /* the native frame of the wanted one is of a call */
	bool is_right;    /* the wanted one was there, and fits that */
};

static int32_t half(struct contexts *contexts, uintptr_t start, int32_t offset)
{
	return (int32_t)field_half(contexts->walk, start, offset);
}

static uintptr_t word(struct contexts *contexts, uintptr_t start, int32_t offset)
{
	return field_word(contexts->walk, start, offset);
}

/* Goes to a context of the stack by its index. Below 0: there is none. */
static void go(struct contexts *contexts, int32_t index)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t start = word(contexts, contexts->stack, layout->stack_contexts);

	contexts->context = 0;
	if (index < 0)
		return;
	contexts->context = start + (uintptr_t)index * (uintptr_t)layout->context_bytes;
	if (contexts->steps++ > STEPS_MAX ||
	    index > half(contexts, contexts->stack, layout->stack_last) ||
	    !field_can(contexts->walk, contexts->context, layout->context_bytes))
		contexts->is_torn = true;
}

/* Goes to the next context of a function in the stack. They descend. */
static void go_on(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	int32_t next = half(contexts, contexts->context, layout->context_outer);
	uintptr_t context = contexts->context;

	go(contexts, next);
	contexts->is_torn =
		contexts->is_torn || (contexts->context && contexts->context >= context);
}

static int32_t type_of(struct contexts *contexts, uintptr_t context, int32_t mask)
{
	return field_byte(contexts->walk, context, contexts->layout->context_type) & mask;
}

static bool is_type(struct contexts *contexts, int32_t type)
{
	return type_of(contexts, contexts->context, contexts->layout->type_mask) == type;
}

static bool has_flag(struct contexts *contexts, int32_t flag)
{
	return type_of(contexts, contexts->context, flag) != 0;
}

/* Returns true for a block of a function, which is in the list as well. */
static bool is_block(struct contexts *contexts)
{
	return is_type(contexts, contexts->layout->type_eval) &&
	       has_flag(contexts, contexts->layout->flag_block);
}

/* Returns the body of the code that a context runs; 0: it is something else. */
static uintptr_t body_of(struct contexts *contexts, uintptr_t code)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t body;
	int32_t type;

	if (!code || !field_can(contexts->walk, code, layout->value_bytes))
		return 0;
	type = half(contexts, code, layout->value_flags) & layout->value_type_mask;
	body = word(contexts, code, layout->value_body);
	return (type == layout->value_code || type == layout->value_format) &&
			       field_can(contexts->walk, body, layout->code_bytes)
		       ? body
		       : 0;
}

/* Returns true for the innermost context while its function is being called or left: its code is
 * not there, or is as deep as it was before the call. */
static bool is_passing(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t body;

	if (!is_type(contexts, layout->type_sub) || has_flag(contexts, layout->flag_repeated))
		return false;
	body = body_of(contexts, word(contexts, contexts->context, layout->context_code));
	return !body || half(contexts, body, layout->code_depth) <=
				half(contexts, contexts->context, layout->context_depth);
}

/* ---- lines ---- */

/* Returns the memory that has an operation and others of its function. 0: it cannot be read. */
static uintptr_t slab_of(struct contexts *contexts, uintptr_t op)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t slot = op - (uintptr_t)layout->slot_op, slab;

	if (!op || !field_can(contexts->walk, slot, (int32_t)WORD))
		return 0;
	slab = slot - (field_half(contexts->walk, slot, layout->slot_place) & 0xffff) * WORD -
	       (uintptr_t)layout->slab_slots;
	return field_can(contexts->walk, slab, layout->slab_slots) ? slab : 0;
}

/* Returns the first of all memory of a function; 0: unknown. */
static uintptr_t home_of(struct contexts *contexts, uintptr_t op)
{
	uintptr_t slab = slab_of(contexts, op);

	return slab ? word(contexts, slab, contexts->layout->slab_head) : 0;
}

static uintptr_t end_of(struct contexts *contexts, uintptr_t slab)
{
	return slab +
	       (field_half(contexts->walk, slab, contexts->layout->slab_words) & 0xffff) * WORD;
}

/* Notes where the operations of the innermost function are, by which a sample from outside is
 * confirmed. */
static void note_code(struct contexts *contexts, uintptr_t op)
{
	struct script_walk *walk = contexts->walk;
	uintptr_t slab;

	if (walk->count || !walk->peek.source)
		return;
	slab = slab_of(contexts, op);
	walk->code = slab;
	walk->code_end = slab ? end_of(contexts, slab) : 0;
	slab = home_of(contexts, op);
	while (slab && walk->part_count < SCRIPT_CODE_PARTS &&
	       field_can(walk, slab, contexts->layout->slab_slots)) {
		walk->parts[walk->part_count].start = slab;
		walk->parts[walk->part_count++].end = end_of(contexts, slab);
		slab = word(contexts, slab, contexts->layout->slab_next);
	}
}

/* Returns the line where the function is that starts with an operation; 0: unknown. The line of the
 * state may be of another function: before the first statement, and while an error is thrown. */
static uint32_t line_in(struct contexts *contexts, uintptr_t start, uint32_t first)
{
	uintptr_t cop = contexts->cop;
	bool is_own;

	if (!cop || !field_can(contexts->walk, cop, contexts->layout->line_bytes))
		return 0;
	is_own = !start || home_of(contexts, cop) == home_of(contexts, start);
	note_code(contexts, is_own ? cop : start);
	if (is_own)
		return field_half(contexts->walk, cop, contexts->layout->line_number);
	return contexts->context && cop == word(contexts, contexts->context,
						contexts->layout->context_cop)
		       ? first
		       : 0;
}

/* ---- frames ---- */

static void add(struct contexts *contexts, struct script_code *code, uintptr_t start)
{
	scripts_add(contexts->walk, code, code->line + LINES - 1,
		    line_in(contexts, start, code->line));
}

/* Adds the program itself. */
static void add_main(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t start = word(contexts, contexts->state, layout->state_main_start);
	struct script_code code = { .object = contexts->state + PERL_MAIN,
				    .address = start,
				    .table = PERL_MAIN,
				    .line = 1 };

	add(contexts, &code, start);
}

static void add_sub(struct contexts *contexts, uintptr_t value)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t body = body_of(contexts, value), start;
	struct script_code code = { .object = value };

	if (value == word(contexts, contexts->state, layout->state_main_code)) {
		add_main(contexts);
		return;
	}
	if (!body) {
		contexts->is_torn = true;
		return;
	}
	start = word(contexts, body, layout->code_start);
	code.address = word(contexts, body, layout->code_root);
	code.name = word(contexts, body, layout->code_name);
	code.table = word(contexts, body, layout->code_stash);
	code.line = perl_first_line(&contexts->walk->peek, layout, start);
	if (!code.line)
		code.line = 1;
	add(contexts, &code, start);
}

/* Adds the code of a file. While it is compiled, its statements are not there. */
static void add_file(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t compiled = contexts->state + (uintptr_t)layout->state_compiled,
		  name = word(contexts, contexts->context, layout->context_file);
	struct script_code code = {
		.object = contexts->cop + PERL_FILE, .address = name, .table = PERL_FILE, .line = 1
	};

	if (contexts->cop == word(contexts, contexts->context, layout->context_cop))
		return;
	if (contexts->cop == compiled) {
		code.object = name + PERL_COMPILED;
		code.table = PERL_COMPILED;
		contexts->cop = 0;
	}
	add(contexts, &code, 0);
}

/* Adds the code of a text: it is where that is run, since each run has a text of its own. */
static void add_text(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t caller = word(contexts, contexts->context, layout->context_cop);
	struct script_code code = { .address = caller, .table = PERL_EVAL };

	if (!field_can(contexts->walk, caller, layout->line_bytes))
		return;
	code.object = caller + PERL_EVAL;
	code.line = field_half(contexts->walk, caller, layout->line_number);
	contexts->cop = caller;
	add(contexts, &code, 0);
}

static void add_function(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;

	if (is_type(contexts, layout->type_eval) && has_flag(contexts, layout->flag_text))
		add_text(contexts);
	else if (is_type(contexts, layout->type_eval))
		add_file(contexts);
	else
		add_sub(contexts, word(contexts, contexts->context, layout->context_code));
}

/* Ends an activation. */
static void end_activation(struct contexts *contexts)
{
	if (contexts->activation == contexts->wanted)
		contexts->is_right = contexts->is_repeated != contexts->is_called;
	contexts->activation++;
	contexts->frames = 0;
	contexts->is_repeated = false;
}

static bool is_wanted(const struct contexts *contexts)
{
	return contexts->activation == contexts->wanted;
}

/* Goes to the next stack outwards. */
static void go_out(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;

	contexts->stack = word(contexts, contexts->stack, layout->stack_previous);
	contexts->context = 0;
	if (!contexts->stack)
		return;
	if (contexts->steps++ > STEPS_MAX ||
	    !field_can(contexts->walk, contexts->stack, layout->stack_bytes))
		contexts->is_torn = true;
	else
		go(contexts, half(contexts, contexts->stack, layout->stack_last_function));
}

/* Adds the function whose block a sort calls: the next one outwards. */
static void add_around(const struct contexts *contexts)
{
	struct contexts around = *contexts;

	while (around.stack && !around.is_torn) {
		if (!around.context)
			go_out(&around);
		else if (is_block(&around))
			go_on(&around);
		else
			break;
	}
	if (around.context && !around.is_torn)
		add_function(&around);
	else if (!around.stack && around.has_main)
		add_main(&around);
}

/* Ends a stack. The block of a sort is not a function, but has a context, the first one. */
static void end_stack(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	uintptr_t stack = contexts->stack, block;
	int32_t type = half(contexts, stack, layout->stack_type);

	block = word(contexts, stack, layout->stack_contexts);
	if (type == layout->stack_type_sort && half(contexts, stack, layout->stack_last) >= 0 &&
	    field_can(contexts->walk, block, layout->context_bytes) &&
	    type_of(contexts, block, layout->type_mask) == layout->type_none) {
		if (is_wanted(contexts))
			add_around(contexts);
		contexts->cop = word(contexts, block, layout->context_cop);
		contexts->is_repeated = true;
		end_activation(contexts);
	} else if (type == layout->stack_type_main && contexts->has_main) {
		if (is_wanted(contexts))
			add_main(contexts);
		end_activation(contexts);
	} else if (contexts->frames) {
		end_activation(contexts);
	}
}

/* Takes the turn of a context. */
static void take(struct contexts *contexts, bool is_innermost)
{
	const struct perl_layout *layout = contexts->layout;

	if (is_block(contexts))
		return;
	if (is_innermost && is_passing(contexts)) {
		contexts->cop = word(contexts, contexts->context, layout->context_cop);
		return;
	}
	if (is_wanted(contexts))
		add_function(contexts);
	contexts->frames++;
	contexts->cop = word(contexts, contexts->context, layout->context_cop);
	contexts->is_repeated =
		has_flag(contexts, layout->flag_repeated) && is_type(contexts, layout->type_sub);
	if (!word(contexts, contexts->context, layout->context_return))
		end_activation(contexts);
}

/* Goes through all activations. Returns their number; -1: they cannot be read. */
static int go_through(struct contexts *contexts)
{
	const struct perl_layout *layout = contexts->layout;
	bool is_innermost = true;

	contexts->cop = word(contexts, contexts->state, layout->state_cop);
	contexts->stack = word(contexts, contexts->state, layout->state_stack);
	if (!field_can(contexts->walk, contexts->stack, layout->stack_bytes))
		return -1;
	go(contexts, half(contexts, contexts->stack, layout->stack_last_function));
	while (contexts->stack && !contexts->is_torn && !contexts->is_right) {
		if (contexts->context) {
			take(contexts, is_innermost);
			is_innermost = false;
			if (!contexts->is_torn)
				go_on(contexts);
		} else {
			end_stack(contexts);
			go_out(contexts);
			is_innermost = false;
		}
	}
	return contexts->is_torn ? -1 : contexts->activation;
}

int perl_activations(struct script_walk *walk, uintptr_t state, bool has_main)
{
	struct contexts contexts = { .walk = walk,
				     .layout = walk->found->layout,
				     .state = state,
				     .has_main = has_main,
				     .wanted = -1 };

	return go_through(&contexts);
}

bool perl_add_activation(struct script_walk *walk, uintptr_t state, bool has_main, int number,
			 bool is_called)
{
	struct contexts contexts = { .walk = walk,
				     .layout = walk->found->layout,
				     .state = state,
				     .has_main = has_main,
				     .wanted = number,
				     .is_called = is_called };

	return go_through(&contexts) >= 0 && contexts.is_right && walk->count;
}
