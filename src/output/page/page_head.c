/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/label_list.h"
#include "base/vec.h"
#include "output/report/calls_summary.h"
#include "output/report/calls_table.h"
#include "output/report/calls_tree_table.h"
#include "output/table/language.h"
#include "page_data.h"
#include "output/report/samples_summary.h"
#include "recording/read/labels.h"
#include "symbol/short_name.h"

/* Enough for any number. */
#define NUMBER_BYTES 24

static const struct table_column function_columns[] = {
	{ "name", 0 },
	{ "symbol", 0 },
	{ "object", 0 },
	{ "language", 0 }, /* of a script; empty: native code */
	{ "line", COLUMN_NUMBER },
};

static const struct table_column thread_columns[] = {
	{ "pid", COLUMN_NUMBER }, { "tid", COLUMN_NUMBER },     { "name", 0 },
	{ "command", 0 },         { "samples", COLUMN_NUMBER }, { "rank", 0 },
};

static const struct table_column region_columns[] = { { "name", 0 }, { "outer", COLUMN_NUMBER } };

static const struct table_column short_columns[] = { { "name", 0 }, { "short", 0 } };

/* All tables of a head; each may be empty. */
struct head {
	struct table functions, threads, calls, tree, shorts, regions;
};

static const char *print(char text[NUMBER_BYTES], uint64_t number)
{
	snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
	return text;
}

static int add_functions(struct table *table, const struct functions *functions)
{
	int status = 0;

	for (size_t i = 0; i < functions->count && !status; i++) {
		const struct function *function = &functions->list[i];
		const struct language *language = language_of(function);
		char line[NUMBER_BYTES];

		status = table_add(
			table, (const char *[]){ function->name, function->symbol, function->object,
						 language ? language->name : NULL,
						 language ? print(line, function->start) : NULL });
	}
	return status;
}

/* Adds the short form of a name, if that is another. */
static int add_short(struct table *table, const char *name)
{
	char *copy = strdup(name);
	int status = copy ? 0 : -ENOMEM;

	if (copy)
		short_name(copy);
	if (copy && strcmp(copy, name) != 0)
		status = table_add(table, (const char *[]){ name, copy });
	free(copy);
	return status;
}

/* Adds the short forms of all names that the page shows. */
static int add_shorts(struct table *table, const struct page_source *source)
{
	int status = 0;

	for (size_t i = 0; source->profile && i < source->profile->functions.count && !status; i++)
		status = add_short(table, source->profile->functions.list[i].name);
	for (size_t i = 0; i < source->calls->count && !status; i++)
		status = add_short(table, source->calls->rows[i].name);
	for (size_t i = 0; i < source->tree->function_count && !status; i++)
		status = add_short(table, source->tree->functions[i].name);
	return status;
}

/* Returns the rank of a thread's process; NULL: none. */
static const char *rank_of(const struct reader *reader, const struct profile_thread *thread)
{
	const struct reader_segment *process =
		thread->process ? reader_segment_at(reader, thread->process->offset) : NULL;

	return process ? labels_of(reader, process, LABEL_RANK) : NULL;
}

static int add_thread(struct table *table, const struct profile_thread *thread, uint32_t samples,
		      const char *rank)
{
	const struct record_process *process = thread->process ? thread->process->process : NULL;
	char pid[NUMBER_BYTES], tid[NUMBER_BYTES], count[NUMBER_BYTES];
	char command[sizeof(process->command)];

	if (process)
		calls_table_join(command, process->command, sizeof(process->command));
	return table_add(table,
			 (const char *[]){ process ? print(pid, process->pid) : NULL,
					   print(tid, thread->tid), thread->name,
					   process ? command : NULL, print(count, samples), rank });
}

static int add_threads(struct table *table, const struct page_source *source,
		       const struct page_samples *samples)
{
	const struct profile *profile = source->profile;
	int status = 0;

	for (size_t i = 0; i < profile->thread_count && !status; i++)
		status = add_thread(table, &profile->threads[i], samples->of_thread[i],
				    rank_of(source->reader, &profile->threads[i]));
	return status;
}

/* Adds the nodes of regions behind the first, which stands for no region: each has its name and the
 * node that it is in. */
static int add_regions(struct table *table, const struct profile_regions *regions)
{
	char outer[NUMBER_BYTES];
	int status = 0;

	for (size_t i = 1; i < regions->tree.count && !status; i++)
		status = table_add(table,
				   (const char *[]){ profile_regions_name(regions, (uint32_t)i),
						     print(outer, regions->tree.nodes[i].caller) });
	return status;
}

/* Writes the text that `dwell report` prints below its tables. */
static int write_notes(const struct page_source *source, FILE *out, struct err *err)
{
	int status = source->profile
			     ? samples_summary_write(source->reader, source->profile, out, err)
			     : 0;

	if (!status && source->profile && source->has_calls)
		calls_summary_write_calls(source->reader, source->calls, out);
	else if (!status && !source->profile)
		calls_summary_write(source->reader, source->calls, out);
	return status;
}

/* Adds the lines of a text, which is modified, as a list. */
static int add_lines(struct table *table, char *text)
{
	const char **lines = NULL;
	size_t count = 0;
	char *rest = NULL;
	int status;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		const char **more = vec_room(lines, count, sizeof(*more));

		if (!more) {
			free(lines);
			return -ENOMEM;
		}
		lines = more;
		lines[count++] = line;
	}
	status = table_add_meta_list(table, "notes", lines, count);
	free(lines);
	return status;
}

static int add_notes(struct table *table, const struct page_source *source, struct err *err)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int status = out ? write_notes(source, out, err) : err_no_memory(err);

	if (out && fclose(out) && !status)
		status = err_no_memory(err);
	if (!status && add_lines(table, text))
		status = err_no_memory(err);
	free(text);
	return status;
}

/* Adds the sizes that the columns after the head need. */
static int add_sizes(struct table *table, const struct page_source *source,
		     const struct stack_tree *tree)
{
	char scale[64];
	int status = table_add_meta_number(table, "page_format", PAGE_DATA_FORMAT);

	snprintf(scale, sizeof(scale), "%.17g", source->calls->scale.ns_per_tick);
	if (!status)
		status = table_add_meta(table, "title", source->title);
	if (!status)
		status = table_add_meta_number(table, "nodes", tree->count ? tree->count - 1 : 0);
	if (!status)
		status = table_add_meta_number(table, "histogram_bins", RECORD_BINS);
	if (!status)
		status = table_add_meta_digits(table, "ns_per_tick", scale);
	return status;
}

static int add_meta(struct table *table, const struct page_source *source,
		    const struct stack_tree *tree, struct err *err)
{
	int status = calls_summary_add_meta(table, source->reader, source->calls, err);

	if (!status && source->profile)
		status = samples_summary_add_meta(table, source->profile, err);
	if (!status)
		status = add_notes(table, source, err);
	if (!status && add_sizes(table, source, tree))
		status = err_no_memory(err);
	return status;
}

static int fill(struct head *head, const struct page_source *source, const struct stack_tree *tree,
		const struct page_samples *samples, struct err *err)
{
	const struct profile *profile = source->profile;

	if (profile && (add_functions(&head->functions, &profile->functions) ||
			add_threads(&head->threads, source, samples) ||
			add_regions(&head->regions, &profile->regions)))
		return err_no_memory(err);
	if (!source->long_names && add_shorts(&head->shorts, source))
		return err_no_memory(err);
	return add_meta(&head->functions, source, tree, err);
}

static void write_tables(const struct head *head, FILE *out)
{
	const struct table *tables[] = { &head->functions, &head->threads, &head->calls,
					 &head->tree,      &head->shorts,  &head->regions };

	table_write_all(tables, sizeof(tables) / sizeof(tables[0]), TABLE_JSON, out);
}

/* Makes the tables that have a maker of their own. */
static int make_calls(struct head *head, const struct page_source *source, struct err *err)
{
	int status = calls_table_make(&head->calls, source->calls, SIZE_MAX, false, err);

	if (status)
		return status;
	status = calls_tree_table_make(&head->tree, source->tree, SIZE_MAX, false, err);
	if (status)
		table_fini(&head->calls);
	return status;
}

int page_head_write(const struct page_source *source, const struct stack_tree *tree,
		    const struct page_samples *samples, FILE *out, struct err *err)
{
	struct head head;
	int status = make_calls(&head, source, err);

	if (status)
		return status;
	table_init(&head.functions, "functions", function_columns,
		   sizeof(function_columns) / sizeof(function_columns[0]));
	table_init(&head.threads, "threads", thread_columns,
		   sizeof(thread_columns) / sizeof(thread_columns[0]));
	table_init(&head.shorts, "short_names", short_columns,
		   sizeof(short_columns) / sizeof(short_columns[0]));
	table_init(&head.regions, "regions", region_columns,
		   sizeof(region_columns) / sizeof(region_columns[0]));
	status = fill(&head, source, tree, samples, err);
	if (!status)
		write_tables(&head, out);
	table_fini(&head.functions);
	table_fini(&head.threads);
	table_fini(&head.calls);
	table_fini(&head.tree);
	table_fini(&head.shorts);
	table_fini(&head.regions);
	return status;
}
