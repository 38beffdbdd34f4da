/* SPDX-License-Identifier: MIT */
#include "annotation_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "output/table/units.h"

#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static const struct table_column function_columns[] = {
	{ "name", 0 },
	{ "symbol", 0 },
	{ "object", 0 },
	ANNOTATION_HEAT_COLUMNS,
};

static const struct table_column line_columns[] = {
	{ "function", 0 },         { "object", 0 }, { "inlined", 0 },        { "file", 0 },
	{ "line", COLUMN_NUMBER }, { "text", 0 },   ANNOTATION_HEAT_COLUMNS,
};

static const struct table_column instruction_columns[] = {
	{ "function", 0 },
	{ "object", 0 },
	{ "address", COLUMN_NUMBER },
	{ "size", COLUMN_NUMBER },
	{ "text", 0 },
	{ "target", COLUMN_NUMBER },
	{ "file", 0 },
	{ "line", COLUMN_NUMBER },
	ANNOTATION_HEAT_COLUMNS,
};

void annotation_tables_init(struct annotation_tables *tables)
{
	table_init(&tables->functions, "functions", function_columns, COUNT_OF(function_columns));
	table_init(&tables->lines, "lines", line_columns, COUNT_OF(line_columns));
	table_init(&tables->instructions, "instructions", instruction_columns,
		   COUNT_OF(instruction_columns));
}

void annotation_tables_fini(struct annotation_tables *tables)
{
	table_fini(&tables->functions);
	table_fini(&tables->lines);
	table_fini(&tables->instructions);
}

/* The last cells, which all three tables share. */
struct heat_cells {
	char texts[4][UNITS_BYTES];
};

static void print_heat(struct heat_cells *cells, const struct annotation_heat *heat)
{
	const uint64_t numbers[] = { heat->self.samples, heat->total.samples, heat->self.ns,
				     heat->total.ns };

	for (size_t i = 0; i < COUNT_OF(numbers); i++)
		snprintf(cells->texts[i], sizeof(cells->texts[i]), "%" PRIu64, numbers[i]);
}

/* Returns NULL, which means no value, instead of 0. */
static const char *print_line(char text[UNITS_BYTES], uint32_t line)
{
	snprintf(text, UNITS_BYTES, "%" PRIu32, line);
	return line ? text : NULL;
}

static int add_function(struct table *table, const struct annotation *annotation,
			const struct function *function)
{
	struct heat_cells heat;

	print_heat(&heat, &annotation->heat);
	return table_add(table, (const char *[]){ function->name, function->symbol,
						  function->object, heat.texts[0], heat.texts[1],
						  heat.texts[2], heat.texts[3] });
}

/* Adds lines; those of a file are neighbours, so one file is open at a time. */
static int add_lines(struct table *table, const struct annotation *annotation,
		     const struct function *function, const struct source_folders *folders)
{
	struct source_text source = { 0 };
	const char *path = NULL;
	int status = 0;

	for (size_t i = 0; i < annotation->line_count && !status; i++) {
		const struct annotation_line *line = &annotation->lines[i];
		const struct function *inlined =
			&annotation->profile->functions.list[line->function];
		struct heat_cells heat;
		char number[UNITS_BYTES];

		if (line->source && line->source != path) {
			source_text_close(&source);
			path = line->source;
			if (source_text_open(&source, path, folders) == -ENOMEM)
				return -ENOMEM;
		}
		print_heat(&heat, &line->heat);
		status = table_add(
			table,
			(const char *[]){
				function->name, function->object,
				inlined == function ? NULL : inlined->name, line->source,
				print_line(number, line->line),
				line->source ? source_text_line(&source, line->line) : NULL,
				heat.texts[0], heat.texts[1], heat.texts[2], heat.texts[3] });
	}
	source_text_close(&source);
	return status;
}

static int add_instructions(struct table *table, const struct annotation_code *code,
			    const struct function *function)
{
	int status = 0;

	for (size_t i = 0; i < code->count && !status; i++) {
		const struct annotation_instruction *instruction = &code->list[i];
		char address[UNITS_BYTES], size[UNITS_BYTES], number[UNITS_BYTES];
		struct heat_cells heat;

		if (!instruction->is_a_part)
			continue;
		snprintf(address, sizeof(address), "%" PRIu64, instruction->address);
		snprintf(size, sizeof(size), "%zu", instruction->size);
		print_heat(&heat, &instruction->heat);
		status = table_add(table, (const char *[]){ function->name, function->object,
							    address, size, instruction->text,
							    instruction->is_target ? "1" : "0",
							    instruction->source,
							    print_line(number, instruction->line),
							    heat.texts[0], heat.texts[1],
							    heat.texts[2], heat.texts[3] });
	}
	return status;
}

int annotation_tables_add(struct annotation_tables *tables, const struct annotation *annotation,
			  const struct annotation_code *code, const struct source_folders *folders,
			  struct err *err)
{
	const struct function *function =
		&annotation->profile->functions.list[annotation->function];
	int status = add_function(&tables->functions, annotation, function);

	if (!status)
		status = add_lines(&tables->lines, annotation, function, folders);
	if (!status && code)
		status = add_instructions(&tables->instructions, code, function);
	return status ? err_no_memory(err) : 0;
}
