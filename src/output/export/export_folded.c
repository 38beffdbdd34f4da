/* SPDX-License-Identifier: MIT
 *
 * export_folded.c - one line per stack: the process, functions from the outermost to the innermost
 * separated by semicolons, a blank, and the amount. flamegraph.pl, inferno, speedscope and others
 * read it. Calls are one line per path, without the process, and their self time.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "export_common.h"

/* Writes a name without semicolons, which separate names, and without line ends. */
static void write_name(const char *name, FILE *out)
{
	for (; *name; name++) {
		if (*name == ';')
			putc(':', out);
		else
			putc((unsigned char)*name < ' ' ? ' ' : *name, out);
	}
}

/* Compares by what the line shows; equal ones become one line. */
static int compare(const void *left, const void *right, void *argument)
{
	const struct export_source *source = argument;
	const struct profile *profile = source->profile;
	const struct profile_stack *a = &profile->stacks[*(const uint32_t *)left];
	const struct profile_stack *b = &profile->stacks[*(const uint32_t *)right];
	const struct profile_thread *thread_a = &profile->threads[a->thread];
	const struct profile_thread *thread_b = &profile->threads[b->thread];
	int order = strcmp(export_process_title(thread_a), export_process_title(thread_b));

	if (order == 0 && source->has_threads)
		order = strcmp(thread_a->name, thread_b->name);
	return order ? order : export_compare_stacks(profile, a, b);
}

static void write_line(const struct export_source *source, const struct profile_stack *stack,
		       uint64_t amount, FILE *out)
{
	const struct profile *profile = source->profile;
	const struct profile_thread *thread = &profile->threads[stack->thread];
	const char *title = export_process_title(thread);

	/* Folded stacks that were imported may have no process, and nothing stands for it then. */
	if (*title || source->has_threads)
		write_name(title, out);
	if (source->has_threads) {
		putc(';', out);
		write_name(thread->name, out);
	}
	for (uint32_t i = stack->depth; i > 0; i--) {
		if (i < stack->depth || *title || source->has_threads)
			putc(';', out);
		write_name(profile->functions.list[profile_function(profile, stack, i - 1)].name,
			   out);
	}
	fprintf(out, " %" PRIu64 "\n", amount);
}

/* Writes the functions on the way to a node. */
static void write_path(const struct calls_tree *tree, const uint32_t *path, size_t length,
		       FILE *out)
{
	for (size_t i = 0; i < length; i++) {
		if (i)
			putc(';', out);
		write_name(tree->functions[tree->nodes[path[i]].function].name, out);
	}
}

/* Writes a line per node with a time of its own. All processes are in one tree. */
static int write_calls(const struct export_source *source, FILE *out, struct err *err)
{
	const struct calls_tree *tree = source->tree;
	uint32_t *path = calloc(tree->count + 1, sizeof(*path));

	if (!path)
		return err_no_memory(err);
	for (size_t i = 0; i < tree->count; i++) {
		const struct calls_tree_node *node = &tree->nodes[i];

		path[node->depth] = (uint32_t)i;
		if (!node->self_ns)
			continue;
		write_path(tree, path, (size_t)node->depth + 1, out);
		fprintf(out, " %" PRIu64 "\n", node->self_ns);
	}
	free(path);
	return 0;
}

int export_folded(const struct export_source *source, FILE *out, struct err *err)
{
	const struct profile *profile = source->profile;
	uint32_t *order;
	size_t count = 0;
	uint64_t amount = 0;

	if (!profile)
		return write_calls(source, out, err);
	order = calloc(profile->stack_count + 1, sizeof(*order));
	if (!order)
		return err_no_memory(err);
	for (size_t i = 0; i < profile->stack_count; i++)
		if (!profile->stacks[i].is_left_out)
			order[count++] = (uint32_t)i;
	qsort_r(order, count, sizeof(*order), compare, (void *)source);
	for (size_t i = 0; i < count; i++) {
		const struct profile_stack *stack = &profile->stacks[order[i]];

		amount += export_amount(source, &stack->amount, EXPORT_UNIT_SAMPLES);
		if (i + 1 < count && compare(&order[i], &order[i + 1], (void *)source) == 0)
			continue;
		write_line(source, stack, amount, out);
		amount = 0;
	}
	free(order);
	return 0;
}
