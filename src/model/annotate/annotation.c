/* SPDX-License-Identifier: MIT */
#include "annotation.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/elf_module.h"

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

static void heat_up(struct annotation_heat *heat, const struct profile_amount *amount, bool is_self)
{
	if (is_self)
		add(&heat->self, amount);
	add(&heat->total, amount);
}

/* The place of a function on the stacks that end in a node. */
struct spot {
	uint32_t frame; /* the innermost frame of that function; HASH_NONE: not on them */
	uint32_t node;  /* the node that it is inlined in, or its own */
};

/* Looks for a function among those inlined at an address; HASH_NONE: not found. */
static uint32_t look_into(const struct profile *profile, uint32_t number, uint32_t function)
{
	while (number != HASH_NONE && profile_frame(profile, number)->function != function)
		number = profile_frame(profile, number)->outer;
	return number;
}

/* Returns the spots of all nodes; free with free(). NULL: no memory. Nodes come after their
 * callers, and inherit from them, unless the function is further in. A hidden function has no node,
 * but may be among the inlined ones. */
static struct spot *find_spots(const struct profile *profile, uint32_t function)
{
	struct spot *spots = calloc(profile->tree.count, sizeof(*spots));

	if (!spots)
		return NULL;
	spots[PROFILE_ROOT].frame = HASH_NONE;
	for (uint32_t i = PROFILE_ROOT + 1; i < profile->tree.count; i++) {
		uint32_t found = look_into(profile, profile->tree.nodes[i].key, function);

		spots[i] = found == HASH_NONE ? spots[profile->tree.nodes[i].caller]
					      : (struct spot){ .frame = found, .node = i };
	}
	return spots;
}

/* Returns the number of a line, which is added if new; HASH_NONE: no memory. */
static uint32_t find_line(struct annotation *annotation, const struct frame *frame)
{
	uint64_t key = ((uint64_t)frame->function << 32 | frame->line) ^ (uintptr_t)frame->source
										 << 7;
	struct annotation_line *more;
	uint32_t *place;

	for (;; key++) {
		place = hash_place(&annotation->by_line, key);
		if (!place || *place == HASH_NONE)
			break;
		more = &annotation->lines[*place];
		if (more->function == frame->function && more->source == frame->source &&
		    more->line == frame->line)
			return *place;
	}
	more = place ? vec_room(annotation->lines, annotation->line_count, sizeof(*more)) : NULL;
	if (!more)
		return HASH_NONE;
	annotation->lines = more;
	annotation->lines[annotation->line_count] = (struct annotation_line){
		.function = frame->function, .source = frame->source, .line = frame->line
	};
	*place = (uint32_t)annotation->line_count++;
	return *place;
}

static uint32_t find_address(struct annotation *annotation, uint64_t address)
{
	uint32_t *place = hash_place(&annotation->by_address, address);
	struct annotation_address *more;

	if (!place || *place != HASH_NONE)
		return place ? *place : HASH_NONE;
	more = vec_room(annotation->addresses, annotation->address_count, sizeof(*more));
	if (!more)
		return HASH_NONE;
	annotation->addresses = more;
	annotation->addresses[annotation->address_count] =
		(struct annotation_address){ .address = address };
	*place = (uint32_t)annotation->address_count++;
	return *place;
}

static int add_stack(struct annotation *annotation, const struct profile_stack *stack,
		     const struct spot *spot)
{
	const struct profile *profile = annotation->profile;
	bool is_self = spot->node == stack->node; /* the sample was in its code */
	uint32_t innermost, line, inlined = HASH_NONE, address;

	if (spot->frame == HASH_NONE)
		return 0;
	innermost = profile->tree.nodes[spot->node].key;
	line = find_line(annotation, profile_frame(profile, spot->frame));
	address = find_address(annotation, profile_frame(profile, spot->frame)->address);
	if (innermost != spot->frame)
		inlined = find_line(annotation, profile_frame(profile, innermost));
	if (line == HASH_NONE || address == HASH_NONE ||
	    (innermost != spot->frame && inlined == HASH_NONE))
		return -ENOMEM;
	heat_up(&annotation->heat, &stack->amount, is_self);
	heat_up(&annotation->lines[line].heat, &stack->amount, is_self);
	heat_up(&annotation->addresses[address].heat, &stack->amount, is_self);
	if (inlined != HASH_NONE)
		heat_up(&annotation->lines[inlined].heat, &stack->amount, is_self);
	return 0;
}

static int add_stacks(struct annotation *annotation)
{
	const struct profile *profile = annotation->profile;
	struct spot *spots = find_spots(profile, annotation->function);
	int status = spots ? 0 : -ENOMEM;

	for (size_t i = 0; i < profile->stack_count && !status; i++)
		if (!profile->stacks[i].is_left_out)
			status = add_stack(annotation, &profile->stacks[i],
					   &spots[profile->stacks[i].node]);
	free(spots);
	return status;
}

static int by_address(const void *left, const void *right)
{
	const struct annotation_address *a = left, *b = right;

	return (a->address > b->address) - (a->address < b->address);
}

/* Sort key of lines. */
struct order {
	uint32_t function;      /* its lines come first */
	const uint64_t *totals; /* per function, in ns */
};

static int by_line(const void *left, const void *right, void *argument)
{
	const struct annotation_line *a = left, *b = right;
	const struct order *order = argument;
	int result = 0;

	if (a->function != b->function) {
		if (a->function == order->function || b->function == order->function)
			return a->function == order->function ? -1 : 1;
		if (order->totals[a->function] != order->totals[b->function])
			return order->totals[a->function] > order->totals[b->function] ? -1 : 1;
		return a->function < b->function ? -1 : 1;
	}
	if (a->source && b->source)
		result = strcmp(a->source, b->source);
	else
		result = !a->source - !b->source;
	return result ? result : (a->line > b->line) - (a->line < b->line);
}

static int sort(struct annotation *annotation)
{
	uint64_t *totals = calloc(annotation->profile->functions.count + 1, sizeof(*totals));
	struct order order = { .function = annotation->function, .totals = totals };

	if (!totals)
		return -ENOMEM;
	for (size_t i = 0; i < annotation->line_count; i++) {
		const struct annotation_line *line = &annotation->lines[i];

		totals[line->function] += line->heat.total.ns;
		annotation->own_count += line->function == annotation->function;
	}
	if (annotation->line_count)
		qsort_r(annotation->lines, annotation->line_count, sizeof(*annotation->lines),
			by_line, &order);
	if (annotation->address_count)
		qsort(annotation->addresses, annotation->address_count,
		      sizeof(*annotation->addresses), by_address);
	free(totals);
	return 0;
}

/* Finds the line where the function begins, if it has code of its own that can be read. */
static int find_start(struct annotation *annotation)
{
	const struct functions *functions = &annotation->profile->functions;
	const struct function *function = &functions->list[annotation->function];
	struct symbolizer_object *object;
	struct elf_module_code code;
	struct place place;

	if (!function->file || !function->symbol || !function->start)
		return 0;
	if (function->is_script) {
		annotation->source = function->file->path;
		annotation->first_line = (uint32_t)function->start;
		return 0;
	}
	object = functions->symbolizer.objects[function->file->number];
	if (!symbolizer_code(&functions->symbolizer, object, function->start, &code))
		return 0;
	if (symbolizer_find(&functions->symbolizer, object, code.offset, &place))
		return -ENOMEM;
	annotation->source = place_function(&place)->source;
	annotation->first_line = place_function(&place)->line;
	return 0;
}

int annotation_make(struct annotation *annotation, const struct profile *profile, uint32_t function,
		    struct err *err)
{
	int status;

	*annotation = (struct annotation){ .profile = profile, .function = function };
	status = add_stacks(annotation);
	if (!status)
		status = sort(annotation);
	if (!status)
		status = find_start(annotation);
	if (!status)
		return 0;
	annotation_free(annotation);
	return err_no_memory(err);
}

void annotation_free(struct annotation *annotation)
{
	free(annotation->lines);
	free(annotation->addresses);
	hash_free(&annotation->by_line);
	hash_free(&annotation->by_address);
	*annotation = (struct annotation){ 0 };
}

bool annotation_has_lines(const struct annotation *annotation)
{
	for (size_t i = 0; i < annotation->line_count; i++)
		if (annotation->lines[i].source && annotation->lines[i].line)
			return true;
	return false;
}
