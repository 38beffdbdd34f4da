/* SPDX-License-Identifier: MIT */
#include "totals.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* A function or, without a symbol, an object, in several processes perhaps. */
struct thing {
	const char *object, *symbol, *version;
};

struct things {
	struct thing *things;
	size_t count;
};

static int add(struct things *things, struct thing thing, struct err *err)
{
	struct thing *more = vec_room(things->things, things->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	things->things = more;
	things->things[things->count++] = thing;
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct thing *a = left, *b = right;
	int order = strcmp(a->symbol, b->symbol);

	if (!order)
		order = strcmp(a->object, b->object);
	return order ? order : strcmp(a->version, b->version);
}

/* Returns how many of them are distinct. */
static size_t count_distinct(struct things *things)
{
	size_t distinct = 0;

	if (things->count)
		qsort(things->things, things->count, sizeof(*things->things), compare);
	for (size_t i = 0; i < things->count; i++)
		distinct += i == 0 || compare(&things->things[i - 1], &things->things[i]) != 0;
	return distinct;
}

static int add_objects(struct things *things, const struct names_process *process, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < process->object_count && !status; i++) {
		struct thing thing = { names_title(process->objects[i]), "", "" };

		status = add(things, thing, err);
	}
	return status;
}

/* Adds the functions that were refused for that reason; ENTRY_FINE: all others. */
static int add_functions(struct things *things, const struct names *names,
			 const struct names_process *process, unsigned refusal, struct err *err)
{
	int status = 0;

	for (size_t i = 0; i < process->function_count && !status; i++) {
		const struct record_function *function = process->functions[i];
		bool is_refused = function->flags & RECORD_REFUSED;

		if (refusal != (is_refused ? function->flags >> RECORD_REFUSAL_SHIFT : ENTRY_FINE))
			continue;
		struct thing thing = {
			names_title(names_object(names, process, function->object)),
			function->text,
			reader_second_text(function->text),
		};

		status = add(things, thing, err);
	}
	return status;
}

static int count_functions(size_t *count, const struct names *names, unsigned refusal,
			   struct err *err)
{
	struct things functions = { 0 };
	int status = 0;

	for (size_t i = 0; i < names->count && !status; i++)
		status = add_functions(&functions, names, &names->processes[i], refusal, err);
	*count = count_distinct(&functions);
	free(functions.things);
	return status;
}

static int count_things(struct calls_totals *totals, const struct names *names, struct err *err)
{
	struct things objects = { 0 };
	int status = 0;

	for (size_t i = 0; i < names->count && !status; i++)
		status = add_objects(&objects, &names->processes[i], err);
	totals->objects = count_distinct(&objects);
	free(objects.things);
	if (!status)
		status = count_functions(&totals->functions_chosen, names, ENTRY_FINE, err);
	for (unsigned i = ENTRY_FINE + 1; i < ENTRY_REFUSALS && !status; i++)
		status = count_functions(&totals->refused[i], names, i, err);
	return status;
}

static int by_pid(const void *left, const void *right)
{
	const struct names_process *const *a = left, *const *b = right;
	uint32_t pid = (*a)->process->pid, other = (*b)->process->pid;

	if ((*a)->machine != (*b)->machine)
		return (*a)->machine < (*b)->machine ? -1 : 1;
	if (pid != other)
		return pid < other ? -1 : 1;
	return (*a)->offset < (*b)->offset ? -1 : (*a)->offset > (*b)->offset;
}

/* Returns true if the process of `before` has become this program by exec(). Its first thread
 * existed before. */
static bool is_exec(const struct names_process *process, const struct names_process *before)
{
	return before && !process->process->forked && process->machine == before->machine &&
	       process->process->pid == before->process->pid;
}

static int count_processes(struct calls_totals *totals, const struct names *names, struct err *err)
{
	const struct names_process **sorted = calloc(names->count + 1, sizeof(*sorted));
	const struct names_process *before = NULL;

	if (!sorted)
		return err_no_memory(err);
	for (size_t i = 0; i < names->count; i++)
		sorted[i] = &names->processes[i];
	qsort(sorted, names->count, sizeof(*sorted), by_pid);
	for (size_t i = 0; i < names->count; i++) {
		uint32_t threads = sorted[i]->process->threads;

		totals->processes += !is_exec(sorted[i], before);
		totals->threads += threads;
		if (is_exec(sorted[i], before) && threads && before->process->threads)
			totals->threads--;
		before = sorted[i];
	}
	free(sorted);
	return 0;
}

int totals_of_names(struct calls_totals *totals, const struct names *names, struct err *err)
{
	int status = count_processes(totals, names, err);

	for (size_t i = 0; i < names->count; i++) {
		const struct record_process *process = names->processes[i].process;

		totals->lost_threads += process->lost_threads;
		totals->lost_calls += process->lost_calls;
		totals->lost_functions += process->lost_functions;
		totals->bindings += process->bindings;
		totals->unread_scripts += names->processes[i].unread;
		if (names->processes[i].unknown)
			totals->unknown = names->processes[i].unknown;
	}
	return status ? status : count_things(totals, names, err);
}
