/* SPDX-License-Identifier: MIT */
#include "annotation_table.h"

#include "event_columns.h"

#define BOTH (ANNOTATION_REPORT | ANNOTATION_PAGE)

/* The contents of a cell. */
enum what { NAME, NUMBER, SYMBOL, OBJECT, INLINED, PATH, LINE, TEXT, ADDRESS, SIZE, TARGET, HEAT };

#define HEAT_COLUMN(name, member)                                                                  \
	{                                                                                          \
		name, HEAT, BOTH, COLUMN_NUMBER, offsetof(struct annotation_heat, member)          \
	}
#define HEAT_COLUMNS                                                                               \
	HEAT_COLUMN("self", self.samples), HEAT_COLUMN("total", total.samples),                    \
		HEAT_COLUMN("self_ns", self.ns), HEAT_COLUMN("total_ns", total.ns)

static const struct column function_columns[] = {
	{ "name", NAME, BOTH },
	{ "symbol", SYMBOL, BOTH },
	{ "object", OBJECT, BOTH },
	HEAT_COLUMNS,
};

static const struct column line_columns[] = {
	{ "function", NAME, ANNOTATION_REPORT },
	{ "function", NUMBER, ANNOTATION_PAGE, COLUMN_NUMBER },
	{ "object", OBJECT, ANNOTATION_REPORT },
	{ "inlined", INLINED, BOTH },
	{ "file", PATH, BOTH },
	{ "line", LINE, BOTH, COLUMN_NUMBER },
	{ "text", TEXT, BOTH },
	HEAT_COLUMNS,
};

static const struct column instruction_columns[] = {
	{ "function", NAME, ANNOTATION_REPORT },
	{ "function", NUMBER, ANNOTATION_PAGE, COLUMN_NUMBER },
	{ "object", OBJECT, ANNOTATION_REPORT },
	{ "address", ADDRESS, BOTH, COLUMN_NUMBER },
	{ "size", SIZE, BOTH, COLUMN_NUMBER },
	{ "text", TEXT, BOTH },
	{ "target", TARGET, BOTH, COLUMN_NUMBER },
	{ "file", PATH, ANNOTATION_REPORT },
	{ "line", LINE, BOTH, COLUMN_NUMBER },
	HEAT_COLUMNS,
};

/* A function, one of its lines or one of its instructions. */
struct row {
	const struct annotation *annotation;
	uint32_t function;  /* of the line: the annotated one, or one inlined in it */
	const char *source; /* NULL: unknown */
	uint32_t line;      /* 0: unknown */
	const char *text;
	const struct annotation_instruction *instruction;
	const struct annotation_heat *heat; /* NULL: the cells are empty */
};

static bool applies(const struct filling *filling, const struct column *column)
{
	const struct annotation_tables *tables = filling->source;

	return column->when & tables->use;
}

static const char *print(const struct filling *filling, const void *of, const struct column *column,
			 struct cell *cell)
{
	const struct row *row = of;
	uint32_t number = row->annotation->function;
	const struct function *functions = row->annotation->profile->functions.list;
	const char *heat = (const char *)row->heat;

	(void)filling;
	switch ((enum what)column->what) {
	case NAME:
		return functions[number].name;
	case NUMBER:
		return cell_number(cell, number);
	case SYMBOL:
		return functions[number].symbol;
	case OBJECT:
		return functions[number].object;
	case INLINED:
		return row->function == number ? NULL : functions[row->function].name;
	case PATH:
		return row->source;
	case LINE:
		return row->line ? cell_number(cell, row->line) : NULL;
	case TEXT:
		return row->text;
	case ADDRESS:
		return cell_number(cell, row->instruction->address);
	case SIZE:
		return cell_number(cell, row->instruction->size);
	case TARGET:
		return row->instruction->is_target ? "1" : "0";
	case HEAT:
		break;
	}
	return heat ? cell_number(cell, *(const uint64_t *)(heat + column->detail)) : NULL;
}

#define REPORT(title, list)                                                                        \
	{                                                                                          \
		.name = (title), .for_programs = COLUMN_LIST(list), .applies = applies,            \
		.print = print                                                                     \
	}

static const struct columns_report functions = REPORT("functions", function_columns);
static const struct columns_report lines = REPORT("lines", line_columns);
static const struct columns_report instructions = REPORT("instructions", instruction_columns);

void annotation_tables_init(struct annotation_tables *tables, enum annotation_use use)
{
	struct filling filling = { .source = tables };

	*tables = (struct annotation_tables){ use, .of_functions = filling, .of_lines = filling,
					      .of_instructions = filling };
	columns_begin(&tables->functions, &functions, &tables->of_functions);
	columns_begin(&tables->lines, &lines, &tables->of_lines);
	columns_begin(&tables->instructions, &instructions, &tables->of_instructions);
}

void annotation_tables_fini(struct annotation_tables *tables)
{
	table_fini(&tables->functions);
	table_fini(&tables->lines);
	table_fini(&tables->instructions);
}

int annotation_tables_add_line(struct annotation_tables *tables,
			       const struct annotation *annotation,
			       const struct annotation_line *line, uint32_t number,
			       const char *text, const struct annotation_heat *heat)
{
	struct row row = { annotation, line->function, line->source, number, text, NULL, heat };

	return columns_add(&tables->lines, &lines, &tables->of_lines, &row);
}

int annotation_tables_add_instruction(struct annotation_tables *tables,
				      const struct annotation *annotation,
				      const struct annotation_instruction *instruction,
				      const struct annotation_heat *heat)
{
	struct row row = { annotation,
			   annotation->function,
			   instruction->source,
			   instruction->line,
			   instruction->text,
			   instruction,
			   heat };

	return columns_add(&tables->instructions, &instructions, &tables->of_instructions, &row);
}

static int add_lines(struct annotation_tables *tables, const struct annotation *annotation,
		     const struct source_folders *folders)
{
	struct source_text source = { 0 };
	int status = 0;

	for (size_t i = 0; i < annotation->line_count && !status; i++) {
		const struct annotation_line *line = &annotation->lines[i];

		status = source_text_switch(&source, line->source, folders);
		if (!status)
			status = annotation_tables_add_line(tables, annotation, line, line->line,
							    source_text_line(&source, line->line),
							    &line->heat);
	}
	source_text_close(&source);
	return status;
}

static int add_instructions(struct annotation_tables *tables, const struct annotation *annotation,
			    const struct annotation_code *code)
{
	int status = 0;

	for (size_t i = 0; i < code->count && !status; i++)
		if (code->list[i].is_a_part)
			status = annotation_tables_add_instruction(
				tables, annotation, &code->list[i], &code->list[i].heat);
	return status;
}

/* Programs find counts of events under names of their own. */
static void rename_columns(struct annotation_tables *tables)
{
	event_columns_rename(&tables->functions);
	event_columns_rename(&tables->lines);
	event_columns_rename(&tables->instructions);
}

int annotation_tables_add(struct annotation_tables *tables, const struct annotation *annotation,
			  const struct annotation_code *code, const struct source_folders *folders,
			  struct err *err)
{
	struct row row = { .annotation = annotation, .heat = &annotation->heat };
	int status = columns_add(&tables->functions, &functions, &tables->of_functions, &row);

	if (tables->use == ANNOTATION_REPORT && annotation->profile->totals.event)
		rename_columns(tables);
	if (!status)
		status = add_lines(tables, annotation, folders);
	if (!status && code)
		status = add_instructions(tables, annotation, code);
	return status ? err_no_memory(err) : 0;
}
