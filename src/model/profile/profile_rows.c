/* SPDX-License-Identifier: MIT */
#include "profile_rows.h"

#include <stdlib.h>
#include <string.h>

#include "profile_nodes.h"

/* The row of each function, or thread, of the profile. */
struct plan {
	const struct profile *profile;
	const struct groups *groups; /* by label */
	struct profile_rows *rows;
	uint32_t *row_of; /* by line a frame, else a function, a thread or a region -> its row */
	uint32_t *open;   /* per row: how often it is on the way to the current node */
	const struct profile_amount *totals; /* per node */
};

static bool is_by_stack(enum profile_by by)
{
	return by == PROFILE_BY_FUNCTION || by == PROFILE_BY_LINE || by == PROFILE_BY_OBJECT;
}

static void add(struct profile_amount *amount, const struct profile_amount *more)
{
	amount->samples += more->samples;
	amount->ns += more->ns;
}

/* Returns the row of a node. */
static uint32_t row_of(const struct plan *plan, uint32_t node)
{
	return plan->row_of[plan->rows->by == PROFILE_BY_LINE
				    ? plan->profile->tree.nodes[node].key
				    : profile_node_function(plan->profile, node)];
}

/* Counts each row on a stack once: where it is the outermost. */
static void enter(void *argument, uint32_t node)
{
	struct plan *plan = argument;
	uint32_t row = row_of(plan, node);

	if (plan->open[row]++ == 0)
		add(&plan->rows->rows[row].total, &plan->totals[node]);
}

static void leave(void *argument, uint32_t node)
{
	struct plan *plan = argument;

	plan->open[row_of(plan, node)]--;
}

static int add_totals(struct plan *plan)
{
	struct profile_amount *totals = profile_nodes_totals(plan->profile);
	struct profile_walk walk = { .enter = enter, .leave = leave, .argument = plan };

	if (!totals)
		return -ENOMEM;
	plan->totals = totals;
	profile_nodes_walk(plan->profile, &walk);
	free(totals);
	return 0;
}

/* Returns true if a region is in another one of the same name. */
static bool is_repeated(const struct prefix_node *nodes, uint32_t node)
{
	uint32_t outer = nodes[node].caller;

	while (outer != HASH_NONE && nodes[outer].key != nodes[node].key)
		outer = nodes[outer].caller;
	return outer != HASH_NONE;
}

/* Adds a stack to all regions that it is in, once to each name. */
static void add_regions(struct plan *plan, const struct profile_stack *stack)
{
	const struct prefix_node *nodes = plan->profile->regions.tree.nodes;
	struct profile_row *rows = plan->rows->rows;
	uint32_t node = stack->region;

	add(&rows[nodes[node].key].self, &stack->amount);
	do {
		if (!is_repeated(nodes, node))
			add(&rows[nodes[node].key].total, &stack->amount);
		node = nodes[node].caller;
	} while (node != PROFILE_REGIONS_NONE && node != HASH_NONE);
}

/* Adds a stack to its own row. */
static void add_stack(struct plan *plan, const struct profile_stack *stack, bool by_stack)
{
	struct profile_row *row =
		&plan->rows
			 ->rows[by_stack ? row_of(plan, stack->node) : plan->row_of[stack->thread]];

	add(&row->self, &stack->amount);
	if (!by_stack)
		add(&row->total, &stack->amount);
}

static int add_stacks(struct plan *plan)
{
	const struct profile *profile = plan->profile;
	bool by_stack = is_by_stack(plan->rows->by);

	for (size_t i = 0; i < profile->stack_count; i++) {
		const struct profile_stack *stack = &profile->stacks[i];

		if (stack->is_left_out)
			continue;
		if (plan->rows->by == PROFILE_BY_REGION)
			add_regions(plan, stack);
		else
			add_stack(plan, stack, by_stack);
	}
	return by_stack ? add_totals(plan) : 0;
}

static uint32_t append(struct plan *plan, struct profile_row row)
{
	plan->rows->rows[plan->rows->count] = row;
	return (uint32_t)plan->rows->count++;
}

static void plan_functions(struct plan *plan)
{
	const struct functions *functions = &plan->profile->functions;

	for (size_t i = 0; i < functions->count; i++) {
		const struct function *function = &functions->list[i];

		plan->row_of[i] = append(plan, (struct profile_row){ .name = function->name,
								     .symbol = function->symbol,
								     .object = function->object,
								     .function = (uint32_t)i });
	}
}

static struct profile_row line_of(const struct profile *profile, const struct frame *frame)
{
	const struct function *function = &profile->functions.list[frame->function];

	return (struct profile_row){ .name = function->name,
				     .symbol = function->symbol,
				     .object = function->object,
				     .source = frame->source,
				     .line = frame->line,
				     .function = frame->function };
}

/* Returns true for the same line. A function is in one object, and there equal paths are equal
 * pointers. */
static bool is_line(const struct profile_row *row, const struct profile_row *other)
{
	return row->function == other->function && row->source == other->source &&
	       row->line == other->line;
}

/* Plans rows by line. A line of several functions, by inlining or by macros, has a row in each. */
static int plan_lines(struct plan *plan)
{
	const struct frames *frames = &plan->profile->resolver;
	struct hash lines = { 0 };
	int status = 0;

	for (size_t i = 0; i < frames->count && !status; i++) {
		struct profile_row row = line_of(plan->profile, &frames->list[i]);
		uint64_t key = ((uint64_t)row.function << 32 | row.line) ^ (uintptr_t)row.source;
		uint32_t *place;

		while ((place = hash_place(&lines, key)) && *place != HASH_NONE &&
		       !is_line(&plan->rows->rows[*place], &row))
			key++;
		if (place && *place == HASH_NONE)
			*place = append(plan, row);
		status = place ? 0 : -ENOMEM;
		if (place)
			plan->row_of[i] = *place;
	}
	hash_free(&lines);
	return status;
}

/* Plans rows by object. Objects of the same title are one. */
static int plan_objects(struct plan *plan)
{
	const struct functions *functions = &plan->profile->functions;
	struct hash titles = { 0 };
	int status = 0;

	for (size_t i = 0; i < functions->count && !status; i++) {
		const char *title = functions->list[i].object;
		uint64_t key = hash_bytes(0, title, strlen(title));
		uint32_t *place;

		while ((place = hash_place(&titles, key)) && *place != HASH_NONE &&
		       strcmp(plan->rows->rows[*place].name, title) != 0)
			key++;
		if (place && *place == HASH_NONE)
			*place = append(plan, (struct profile_row){ .name = title });
		status = place ? 0 : -ENOMEM;
		if (place)
			plan->row_of[i] = *place;
	}
	hash_free(&titles);
	return status;
}

static void plan_threads(struct plan *plan)
{
	const struct profile *profile = plan->profile;

	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct profile_thread *thread = &profile->threads[i];

		plan->row_of[i] = append(
			plan, (struct profile_row){
				      .name = thread->name,
				      .process = thread->process ? thread->process->process : NULL,
				      .tid = thread->tid });
	}
}

/* Plans a row for each name, in their order. */
static void plan_regions(struct plan *plan)
{
	const struct profile_regions *regions = &plan->profile->regions;

	for (size_t i = 0; i < regions->count; i++)
		append(plan, (struct profile_row){ .name = regions->names[i] });
}

static const char *title_of(const struct maps_process *process)
{
	return profile_title(process ? process->process->command : "?");
}

static int plan_processes(struct plan *plan)
{
	const struct profile *profile = plan->profile;
	struct hash offsets = { 0 };
	int status = 0;

	for (size_t i = 0; i < profile->thread_count && !status; i++) {
		const struct maps_process *process = profile->threads[i].process;
		uint32_t *place = hash_place(&offsets, process ? process->offset : UINT64_MAX);

		status = place ? 0 : -ENOMEM;
		if (!place)
			break;
		if (*place == HASH_NONE)
			*place = append(plan,
					(struct profile_row){ .name = title_of(process),
							      .process = process ? process->process
										 : NULL });
		plan->row_of[i] = *place;
	}
	hash_free(&offsets);
	return status;
}

/* Plans a row for each group, and one for processes that are in none. */
static void plan_groups(struct plan *plan)
{
	const struct profile *profile = plan->profile;
	const struct groups *groups = plan->groups;
	uint32_t none;

	for (size_t i = 0; i < groups->count; i++)
		append(plan, (struct profile_row){ .name = groups->values[i],
						   .processes = groups->sizes[i] });
	none = append(plan, (struct profile_row){ .name = "(none)" });
	for (size_t i = 0; i < profile->thread_count; i++) {
		const struct maps_process *process = profile->threads[i].process;
		uint32_t group = process ? groups_of(groups, process->offset) : GROUPS_NONE;

		plan->row_of[i] = group == GROUPS_NONE ? none : group;
	}
}

/* Returns the largest possible number of rows, and of what has one. */
static size_t count_rows(const struct plan *plan)
{
	const struct profile *profile = plan->profile;
	size_t groups = plan->groups ? plan->groups->count + 1 : 0;

	if (plan->rows->by == PROFILE_BY_LINE)
		return profile->resolver.count;
	if (is_by_stack(plan->rows->by))
		return profile->functions.count;
	if (plan->rows->by == PROFILE_BY_REGION)
		return profile->regions.count;
	return profile->thread_count > groups ? profile->thread_count : groups;
}

/* Assigns a row to everything. */
static int plan_rows(struct plan *plan)
{
	enum profile_by by = plan->rows->by;
	size_t count = count_rows(plan);

	plan->row_of = calloc(count + 1, sizeof(*plan->row_of));
	plan->open = calloc(count + 1, sizeof(*plan->open));
	plan->rows->rows = calloc(count + 1, sizeof(*plan->rows->rows));
	if (!plan->row_of || !plan->open || !plan->rows->rows)
		return -ENOMEM;
	if (by == PROFILE_BY_LINE)
		return plan_lines(plan);
	if (by == PROFILE_BY_OBJECT)
		return plan_objects(plan);
	if (by == PROFILE_BY_PROCESS)
		return plan_processes(plan);
	if (by == PROFILE_BY_LABEL)
		plan_groups(plan);
	else if (by == PROFILE_BY_THREAD)
		plan_threads(plan);
	else if (by == PROFILE_BY_REGION)
		plan_regions(plan);
	else
		plan_functions(plan);
	return 0;
}

/* Adds calls counted by the functions themselves, which have no times. */
static void add_arcs(struct plan *plan)
{
	const struct profile *profile = plan->profile;

	for (size_t i = 0; i < profile->arc_count; i++) {
		const struct frame *callee = profile_frame(profile, profile->arcs[i].callee);
		struct profile_row *row = &plan->rows->rows[plan->row_of[callee->function]];

		row->calls += profile->arcs[i].count;
		row->mean_ns = -1;
	}
	plan->rows->joined = profile->arc_count;
}

/* Drops functions that occur only in excluded samples. One that was called and never sampled keeps
 * its row, unless a filter selects samples. Groups are the first rows, and keep them. */
static void drop_empty(struct profile_rows *rows, const struct profile_totals *totals,
		       size_t groups)
{
	bool is_filtered = totals->kept.samples != totals->seen.samples;
	size_t kept = groups;

	for (size_t i = groups; i < rows->count; i++)
		if (rows->rows[i].total.samples || (rows->rows[i].calls && !is_filtered))
			rows->rows[kept++] = rows->rows[i];
	rows->count = kept;
}

static int make(struct profile_rows *rows, const struct profile *profile, enum profile_by by,
		const struct groups *groups, struct err *err)
{
	struct plan plan = { .profile = profile, .groups = groups, .rows = rows };
	int status;

	*rows = (struct profile_rows){ .by = by, .groups = groups };
	status = plan_rows(&plan);
	if (!status)
		status = add_stacks(&plan);
	if (!status) {
		if (by == PROFILE_BY_FUNCTION)
			add_arcs(&plan);
		drop_empty(rows, &profile->totals, groups ? groups->count : 0);
	} else {
		profile_rows_free(rows);
		err_no_memory(err);
	}
	free(plan.row_of);
	free(plan.open);
	return status;
}

int profile_rows_make(struct profile_rows *rows, const struct profile *profile, enum profile_by by,
		      struct err *err)
{
	return make(rows, profile, by, NULL, err);
}

int profile_rows_make_groups(struct profile_rows *rows, const struct profile *profile,
			     const struct groups *groups, struct err *err)
{
	return make(rows, profile, PROFILE_BY_LABEL, groups, err);
}

void profile_rows_free(struct profile_rows *rows)
{
	free(rows->rows);
	*rows = (struct profile_rows){ 0 };
}
