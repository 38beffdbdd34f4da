/* SPDX-License-Identifier: MIT */
#include "live_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Sum for one function, thread or program. */
struct sum {
	struct profile_amount self, total;
	uint64_t waiting_ns;
	uint32_t processes; /* of a program */
	uint32_t stamp;     /* the last entry counted here, plus 1 */
	bool is_there;
};

struct making {
	const struct live *live;
	const struct live_query *query;
	struct live_rows *rows;
	struct sum *sums;   /* by number of the function or thread */
	uint32_t *programs; /* of each thread: the first thread of the same program */
	struct hash pids;   /* of programs, to count them */
	size_t count;
	enum live_role role;
	struct spec_list specs; /* the filter, if it is a SPEC */
};

static const struct prefix_node *node_of(const struct making *making, uint32_t number)
{
	return number == HASH_NONE ? NULL : &making->live->stacks.tree.nodes[number];
}

static void add(struct profile_amount *to, const struct profile_amount *amount)
{
	to->samples += amount->samples;
	to->ns += amount->ns;
}

/* Adds once per entry, however often it is met. */
static void add_total(struct sum *sum, const struct live_entry *entry, size_t number)
{
	if (sum->stamp == number + 1)
		return;
	sum->stamp = (uint32_t)number + 1;
	sum->is_there = true;
	add(&sum->total, &entry->amount);
	sum->waiting_ns += entry->waiting.ns;
}

/* ---- counting ---- */

static void count_functions(struct making *making, const struct live_entry *entry, size_t number)
{
	const struct prefix_node *node = node_of(making, entry->node);

	add(&making->sums[node->key].self, &entry->amount);
	for (; node; node = node_of(making, node->caller))
		add_total(&making->sums[node->key], entry, number);
}

static void count_threads(struct making *making, const struct live_entry *entry, size_t number)
{
	struct sum *sum = &making->sums[entry->thread];

	add(&sum->self, &entry->amount);
	add_total(sum, entry, number);
}

static void count_programs(struct making *making, const struct live_entry *entry, size_t number)
{
	uint32_t program = making->programs[entry->thread];
	struct sum *sum = &making->sums[program];
	uint32_t pid = making->live->threads[entry->thread].pid;
	uint32_t *place = hash_place(&making->pids, (uint64_t)program << 32 | pid);

	add(&sum->self, &entry->amount);
	add_total(sum, entry, number);
	/* Without memory, the number is too low. */
	if (place && *place == HASH_NONE) {
		*place = 0;
		sum->processes++;
	}
}

/* Counts callers from outside: only the outermost call of a recursive function has a caller. */
static void count_callers(struct making *making, const struct live_entry *entry, size_t number)
{
	const struct prefix_node *outermost = NULL, *caller;

	for (const struct prefix_node *node = node_of(making, entry->node); node;
	     node = node_of(making, node->caller))
		if (node->key == making->query->function)
			outermost = node;
	caller = outermost ? node_of(making, outermost->caller) : NULL;
	if (caller)
		add_total(&making->sums[caller->key], entry, number);
}

static void count_callees(struct making *making, const struct live_entry *entry, size_t number)
{
	const struct prefix_node *callee = NULL, *node = node_of(making, entry->node);

	for (; node; callee = node, node = node_of(making, node->caller)) {
		if (node->key != making->query->function || !callee || callee->key == node->key)
			continue;
		add_total(&making->sums[callee->key], entry, number);
		if (callee == node_of(making, entry->node))
			add(&making->sums[callee->key].self, &entry->amount);
	}
}

static void count_itself(struct making *making, const struct live_entry *entry, size_t number)
{
	const struct prefix_node *node = node_of(making, entry->node);
	uint32_t function = making->query->function;

	if (node->key == function)
		add(&making->sums[function].self, &entry->amount);
	for (; node; node = node_of(making, node->caller))
		if (node->key == function)
			add_total(&making->sums[function], entry, number);
}

typedef void count_entry(struct making *making, const struct live_entry *entry, size_t number);

static bool is_chosen(const struct making *making, const struct live_thread *thread)
{
	const struct live_query *query = making->query;

	if (query->program && *query->program && strcmp(thread->program, query->program) != 0)
		return false;
	return !query->tid || thread->tid == query->tid;
}

static int count_all(struct making *making, size_t count, count_entry *each, struct err *err)
{
	const struct live_fold *fold = &making->live->window.fold;

	free(making->sums);
	making->sums = calloc(count + 1, sizeof(*making->sums));
	making->count = count;
	if (!making->sums)
		return err_no_memory(err);
	for (size_t i = 0; i < fold->count; i++)
		if (is_chosen(making, &making->live->threads[fold->entries[i].thread]))
			each(making, &fold->entries[i], i);
	return 0;
}

/* Finds the first thread of each thread's program. */
static int find_programs(struct making *making, struct err *err)
{
	const struct live *live = making->live;
	struct hash by_name = { 0 };
	int status = 0;

	making->programs = calloc(live->thread_count + 1, sizeof(*making->programs));
	if (!making->programs)
		return err_no_memory(err);
	for (uint32_t i = 0; i < live->thread_count && !status; i++) {
		const char *name = live->threads[i].program;
		uint64_t key = hash_bytes(0, name, strlen(name));
		uint32_t *place;

		/* Others with the same key have the next keys. */
		while ((place = hash_place(&by_name, key)) && *place != HASH_NONE &&
		       strcmp(live->threads[*place].program, name) != 0)
			key++;
		if (place && *place == HASH_NONE)
			*place = i;
		if (place)
			making->programs[i] = *place;
		else
			status = err_no_memory(err);
	}
	hash_free(&by_name);
	return status;
}

/* ---- rows ---- */

static bool is_pattern(const char *filter)
{
	const char *colon = strchr(filter, ':');

	return strpbrk(filter, "*?[") || (colon && colon[1] != ':');
}

static bool has(const char *text, const char *part)
{
	return text && strcasestr(text, part);
}

static bool is_wanted(struct making *making, const struct live_row *row)
{
	const struct function *function;
	struct spec_subject subject = { .soname = row->object, .demangled = row->name };

	if (!*making->query->filter || row->role == LIVE_ITSELF)
		return true;
	if (!making->specs.count)
		return has(row->name, making->query->filter) ||
		       has(row->object, making->query->filter);
	subject.symbol = row->name;
	if (row->object) {
		function = &making->live->stacks.functions.list[row->function];
		subject.symbol = function->symbol ? function->symbol : function->name;
		subject.path = function->file ? function->file->path : NULL;
	}
	return spec_list_match(&making->specs, &subject);
}

static struct live_row row_of(const struct making *making, uint32_t number)
{
	const struct sum *sum = &making->sums[number];
	struct live_row row = { .self = sum->self,
				.total = sum->total,
				.waiting_ns = sum->waiting_ns,
				.role = making->role };

	if (making->query->by == LIVE_PROGRAMS) {
		row.name = making->live->threads[number].program;
		row.processes = sum->processes;
		row.function = (uint32_t)hash_bytes(0, row.name, strlen(row.name));
	} else if (making->query->by == LIVE_THREADS) {
		const struct live_thread *thread = &making->live->threads[number];

		row.name = thread->name;
		row.pid = thread->pid;
		row.tid = thread->tid;
	} else {
		const struct function *function = &making->live->stacks.functions.list[number];

		row.name = function->name;
		row.object = function->object;
		row.function = number;
	}
	return row;
}

static int add_rows(struct making *making, struct err *err)
{
	struct live_rows *rows = making->rows;

	for (uint32_t i = 0; i < making->count; i++) {
		struct live_row row, *more;

		if (!making->sums[i].is_there)
			continue;
		row = row_of(making, i);
		if (!is_wanted(making, &row))
			continue;
		more = vec_room(rows->rows, rows->count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		rows->rows = more;
		rows->rows[rows->count++] = row;
	}
	return 0;
}

static int compare_amounts(uint64_t left, uint64_t right)
{
	return (left < right) - (left > right);
}

/* Compares the rest, so that equal rows keep their order. */
static int compare_names(const struct live_row *a, const struct live_row *b)
{
	int order = strcmp(a->name, b->name);

	if (!order && a->object && b->object)
		order = strcmp(a->object, b->object);
	if (!order)
		order = (a->tid > b->tid) - (a->tid < b->tid);
	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static int compare(const void *left, const void *right, void *argument)
{
	const struct live_row *a = left, *b = right;
	enum live_sort sort = *(const enum live_sort *)argument;
	int self = compare_amounts(a->self.ns, b->self.ns),
	    total = compare_amounts(a->total.ns, b->total.ns), order = 0;

	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	if (sort == LIVE_BY_WAITING)
		order = compare_amounts(a->waiting_ns, b->waiting_ns);
	if (sort == LIVE_BY_SELF || (sort == LIVE_BY_WAITING && !order))
		order = self ? self : total;
	else if (sort == LIVE_BY_TOTAL)
		order = total ? total : self;
	return order ? order : compare_names(a, b);
}

static int make_around(struct making *making, size_t functions, struct err *err)
{
	static const struct {
		enum live_role role;
		count_entry *count;
	} parts[] = { { LIVE_CALLER, count_callers },
		      { LIVE_ITSELF, count_itself },
		      { LIVE_CALLEE, count_callees } };
	int status = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]) && !status; i++) {
		making->role = parts[i].role;
		status = count_all(making, functions, parts[i].count, err);
		if (!status)
			status = add_rows(making, err);
	}
	return status;
}

static int count_all_programs(struct making *making, struct err *err)
{
	int status = find_programs(making, err);

	return status ? status : count_all(making, making->live->thread_count, count_programs, err);
}

static int make(struct making *making, struct err *err)
{
	size_t functions = making->live->stacks.functions.count;
	int status;

	if (is_pattern(making->query->filter)) {
		status = spec_list_add_one(&making->specs, making->query->filter, err);
		if (status)
			return status;
	}
	if (making->query->by == LIVE_AROUND)
		return make_around(making, functions, err);
	if (making->query->by == LIVE_PROGRAMS)
		status = count_all_programs(making, err);
	else if (making->query->by == LIVE_THREADS)
		status = count_all(making, making->live->thread_count, count_threads, err);
	else
		status = count_all(making, functions, count_functions, err);
	return status ? status : add_rows(making, err);
}

int live_rows_make(struct live_rows *rows, const struct live *live, const struct live_query *query,
		   struct err *err)
{
	struct making making = { .live = live, .query = query, .rows = rows };
	enum live_sort sort = query->sort;
	int status;

	/* For callers, the time of their calls counts. */
	if (query->by == LIVE_AROUND && sort == LIVE_BY_SELF)
		sort = LIVE_BY_TOTAL;
	*rows = (struct live_rows){ 0 };
	status = make(&making, err);
	if (!status && rows->count)
		qsort_r(rows->rows, rows->count, sizeof(*rows->rows), compare, &sort);
	if (status)
		live_rows_free(rows);
	free(making.sums);
	free(making.programs);
	hash_free(&making.pids);
	spec_list_free(&making.specs);
	return status;
}

void live_rows_free(struct live_rows *rows)
{
	free(rows->rows);
	*rows = (struct live_rows){ 0 };
}
