/* SPDX-License-Identifier: MIT */
#include "info_tables.h"

#include <string.h>

#include "calls_table.h"
#include "recording/read/labels.h"

/* The contents of a cell. */
enum what {
	PID,
	PARENT_PID,
	TID,
	SAMPLES,
	NS,
	NAME,
	COMMAND,
	BUILD_ID,
	STATE,
	PATH,
	SOURCE,
	KEY,
	VALUE
};

/* Which tables have a column. */
enum when { ALWAYS, IF_MERGED };

static const struct column process_columns[] = {
	{ "source", SOURCE, IF_MERGED, COLUMN_NUMBER },
	{ "pid", PID, 0, COLUMN_NUMBER },
	{ "parent_pid", PARENT_PID, 0, COLUMN_NUMBER | COLUMN_DROPS_2ND },
	{ "samples", SAMPLES, 0, COLUMN_NUMBER | COLUMN_DROPS_1ST },
	{ "samples_ns", NS, 0, COLUMN_NUMBER },
	{ "command", COMMAND, 0, COLUMN_GIVES },
};

static const struct column label_columns[] = {
	{ "source", SOURCE, IF_MERGED, COLUMN_NUMBER },
	{ "key", KEY, 0, 0 },
	{ "value", VALUE, 0, COLUMN_GIVES },
};

static const struct column thread_columns[] = {
	{ "pid", PID, 0, COLUMN_NUMBER },
	{ "tid", TID, 0, COLUMN_NUMBER },
	{ "samples", SAMPLES, 0, COLUMN_NUMBER | COLUMN_DROPS_1ST },
	{ "samples_ns", NS, 0, COLUMN_NUMBER },
	{ "thread", NAME, 0, COLUMN_GIVES },
};

static const struct column object_columns[] = {
	{ "build_id", BUILD_ID, 0, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_1ST },
	{ "symbols", STATE, 0, 0 },
	{ "path", PATH, 0, COLUMN_GIVES },
};

/* Returns the samples of a process, or NULL. */
static const struct profile_row *row_of(const struct profile_rows *rows,
					const struct record_process *process)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].process == process)
			return &rows->rows[i];
	return NULL;
}

/* Returns the number of a SETUP, from 1; 0: there is none. */
static uint64_t source_of(const struct reader *reader, const struct reader_segment *setup)
{
	uint64_t source = 0;

	for (size_t i = 0; setup && i < reader->count; i++) {
		source += reader->segments[i].kind == RECORD_SETUP;
		if (&reader->segments[i] == setup)
			return source;
	}
	return 0;
}

/* Processes of a recording, and their samples. */
struct ran {
	const struct reader *reader;
	const struct profile_rows *by_process;
	bool is_merged; /* of several runs */
};

static struct ran ran_in(const struct reader *reader, const struct profile_rows *by_process)
{
	size_t setups = 0;

	for (size_t i = 0; i < reader->count; i++)
		setups += reader->segments[i].kind == RECORD_SETUP;
	return (struct ran){ reader, by_process, setups > 1 };
}

static bool applies(const struct filling *filling, const struct column *column)
{
	return column->when == ALWAYS || ((const struct ran *)filling->source)->is_merged;
}

static const char *print_process(const struct filling *filling, const void *of,
				 const struct column *column, struct cell *cell)
{
	const struct ran *ran = filling->source;
	const struct record_process *process = reader_process(of);
	const struct profile_row *row;

	switch ((enum what)column->what) {
	case SOURCE:
		return cell_number(cell, source_of(ran->reader, reader_setup_of(ran->reader, of)));
	case PID:
		return cell_number(cell, process->pid);
	case PARENT_PID:
		return cell_number(cell, process->parent_pid);
	case COMMAND:
		return calls_table_command(cell, process);
	default:
		row = row_of(ran->by_process, process);
		return column->what == NS ? cell_amount(cell, row ? row->self.ns : 0,
							reader_event(ran->reader))
					  : cell_count(cell, row ? row->self.samples : 0);
	}
}

static const struct columns_report processes = {
	.name = "processes",
	.for_people = COLUMN_LIST(process_columns),
	.for_programs = COLUMN_LIST(process_columns),
	.applies = applies,
	.print = print_process,
};

int info_tables_processes(struct table *table, const struct reader *reader,
			  const struct profile_rows *by_process, bool human, struct err *err)
{
	struct ran ran = ran_in(reader, by_process);
	struct filling filling = { .source = &ran, .human = human };

	columns_begin(table, &processes, &filling);
	for (size_t i = 0; i < reader->count; i++) {
		if (reader->segments[i].kind != RECORD_PROCESS)
			continue;
		if (columns_add(table, &processes, &filling, &reader->segments[i])) {
			table_fini(table);
			return err_no_memory(err);
		}
	}
	return 0;
}

/* A label while its row is made. */
struct labelled {
	uint64_t source;
	const struct record_label *label;
};

static const char *print_label(const struct filling *filling, const void *of,
			       const struct column *column, struct cell *cell)
{
	const struct labelled *labelled = of;

	(void)filling;
	if (column->what == SOURCE)
		return cell_number(cell, labelled->source);
	return column->what == KEY ? labelled->label->text : labels_value(labelled->label);
}

static const struct columns_report labels = {
	.name = "labels",
	.for_people = COLUMN_LIST(label_columns),
	.for_programs = COLUMN_LIST(label_columns),
	.applies = applies,
	.print = print_label,
};

int info_tables_labels(struct table *table, const struct reader *reader, struct err *err)
{
	struct ran ran = ran_in(reader, NULL);
	struct filling filling = { .source = &ran };
	struct labelled row = { 0 };
	int status = 0;

	columns_begin(table, &labels, &filling);
	for (size_t i = 0; i < reader->count && !status; i++) {
		if (reader->segments[i].kind != RECORD_SETUP)
			continue;
		row.source++;
		row.label = NULL;
		while (!status && (row.label = labels_next(&reader->segments[i], row.label)))
			status = columns_add(table, &labels, &filling, &row);
	}
	if (status)
		table_fini(table);
	return status ? err_no_memory(err) : 0;
}

static const char *print_thread(const struct filling *filling, const void *of,
				const struct column *column, struct cell *cell)
{
	const struct profile_row *row = of;

	(void)filling;
	switch ((enum what)column->what) {
	case PID:
		return row->process ? cell_number(cell, row->process->pid) : NULL;
	case TID:
		return cell_number(cell, row->tid);
	case SAMPLES:
		return cell_count(cell, row->self.samples);
	case NS:
		return cell_time(cell, row->self.ns);
	default:
		return row->name;
	}
}

static const struct columns_report threads = {
	.name = "threads",
	.for_people = COLUMN_LIST(thread_columns),
	.for_programs = COLUMN_LIST(thread_columns),
	.print = print_thread,
};

int info_tables_threads(struct table *table, const struct profile_rows *by_thread, bool human,
			struct err *err)
{
	struct filling filling = FILLING(NULL, by_thread->rows, by_thread->count, SIZE_MAX, human);

	return columns_fill(table, &threads, &filling, err);
}

/* Returns the result of looking for an object's names, or NULL if it was not tried. */
static const char *state_of(const struct profile *profile, const struct profile_object *object)
{
	static const char *const states[] = {
		[SYMBOLIZER_OPEN] = "exported",
		[SYMBOLIZER_MISSING] = "missing",
		[SYMBOLIZER_CHANGED] = "changed",
		[SYMBOLIZER_DAMAGED] = "not ELF",
	};
	const struct symbolizer *symbolizer = &profile->functions.symbolizer;

	for (size_t i = 0; i < symbolizer->count; i++) {
		const struct symbolizer_object *file = symbolizer->objects[i];

		if (strcmp(file->path, object->path) == 0 && build_id_same(&file->id, &object->id))
			return file->is_full ? "all" : states[file->state];
	}
	return NULL;
}

static const char *print_object(const struct filling *filling, const void *of,
				const struct column *column, struct cell *cell)
{
	const struct profile_object *object = of;
	char id[BUILD_ID_TEXT];

	if (column->what == STATE)
		return state_of(filling->source, object);
	if (column->what == PATH)
		return object->path;
	return object->id.size ? cell_own(cell, strdup(build_id_print(id, &object->id))) : NULL;
}

static const struct columns_report objects_report = {
	.name = "objects",
	.for_people = COLUMN_LIST(object_columns),
	.for_programs = COLUMN_LIST(object_columns),
	.print = print_object,
};

int info_tables_objects(struct table *table, const struct profile_objects *objects,
			const struct profile *profile, struct err *err)
{
	struct filling filling = FILLING(profile, objects->list, objects->count, SIZE_MAX, false);

	return columns_fill(table, &objects_report, &filling, err);
}
