/* SPDX-License-Identifier: MIT */
#include "info_tables.h"

#include <inttypes.h>
#include <string.h>

#include "calls_table.h"
#include "output/table/units.h"

#define COLUMNS(list) list, sizeof(list) / sizeof(list[0])

static const struct table_column process_columns[] = {
	{ "pid", COLUMN_NUMBER },     { "parent_pid", COLUMN_NUMBER },
	{ "samples", COLUMN_NUMBER }, { "samples_ns", COLUMN_NUMBER },
	{ "command", COLUMN_GIVES },
};

static const struct table_column thread_columns[] = {
	{ "pid", COLUMN_NUMBER },        { "tid", COLUMN_NUMBER },   { "samples", COLUMN_NUMBER },
	{ "samples_ns", COLUMN_NUMBER }, { "thread", COLUMN_GIVES },
};

static const struct table_column object_columns[] = {
	{ "build_id", COLUMN_GIVES_TOO | COLUMN_DIM },
	{ "symbols", 0 },
	{ "path", COLUMN_GIVES },
};

/* Cells of a row while it is made. */
struct cells {
	char rooms[4][UNITS_BYTES];
	size_t count;
	bool human;
};

static const char *plain(struct cells *cells, uint64_t number)
{
	char *room = cells->rooms[cells->count++];

	snprintf(room, UNITS_BYTES, "%" PRIu64, number);
	return room;
}

static const char *count(struct cells *cells, uint64_t number)
{
	if (!cells->human)
		return plain(cells, number);
	return units_count(cells->rooms[cells->count++], number);
}

static const char *duration(struct cells *cells, uint64_t ns)
{
	if (!cells->human)
		return plain(cells, ns);
	return units_time(cells->rooms[cells->count++], (double)ns);
}

/* What was sampled of a process; NULL: nothing. */
static const struct profile_row *row_of(const struct profile_rows *rows,
					const struct record_process *process)
{
	for (size_t i = 0; i < rows->count; i++)
		if (rows->rows[i].process == process)
			return &rows->rows[i];
	return NULL;
}

static int add_process(struct table *table, const struct record_process *process,
		       const struct profile_row *row, bool human)
{
	struct cells cells = { .human = human };
	char command[sizeof(process->command)];

	calls_table_join(command, process->command, sizeof(process->command));
	return table_add(table,
			 (const char *[]){ plain(&cells, process->pid),
					   plain(&cells, process->parent_pid),
					   count(&cells, row ? row->self.samples : 0),
					   duration(&cells, row ? row->self.ns : 0), command });
}

static int finish(struct table *table, int status, struct err *err)
{
	if (!status)
		return 0;
	table_fini(table);
	return err_no_memory(err);
}

int info_tables_processes(struct table *table, const struct reader *reader,
			  const struct profile_rows *by_process, bool human, struct err *err)
{
	int status = 0;

	table_init(table, "processes", COLUMNS(process_columns));
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct record_process *process;

		if (reader->segments[i].kind != RECORD_PROCESS)
			continue;
		process = reader_process(&reader->segments[i]);
		status = add_process(table, process, row_of(by_process, process), human);
	}
	return finish(table, status, err);
}

int info_tables_threads(struct table *table, const struct profile_rows *by_thread, bool human,
			struct err *err)
{
	int status = 0;

	table_init(table, "threads", COLUMNS(thread_columns));
	for (size_t i = 0; i < by_thread->count && !status; i++) {
		const struct profile_row *row = &by_thread->rows[i];
		struct cells cells = { .human = human };

		status = table_add(
			table,
			(const char *[]){ row->process ? plain(&cells, row->process->pid) : NULL,
					  plain(&cells, row->tid), count(&cells, row->self.samples),
					  duration(&cells, row->self.ns), row->name });
	}
	return finish(table, status, err);
}

/* What became of an object when names were looked for; NULL: none were. */
static const char *state_of(const struct profile *profile, const struct object *object)
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

int info_tables_objects(struct table *table, const struct objects *objects,
			const struct profile *profile, struct err *err)
{
	int status = 0;

	table_init(table, "objects", COLUMNS(object_columns));
	for (size_t i = 0; i < objects->count && !status; i++) {
		const struct object *object = &objects->list[i];
		char id[BUILD_ID_TEXT];

		status = table_add(
			table,
			(const char *[]){ object->id.size ? build_id_print(id, &object->id) : NULL,
					  state_of(profile, object), object->path });
	}
	return finish(table, status, err);
}
