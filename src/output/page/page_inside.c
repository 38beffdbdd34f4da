/* SPDX-License-Identifier: MIT */
#include "page_inside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "model/annotate/annotation.h"
#include "model/annotate/annotation_code.h"
#include "output/report/annotation_table.h"

/* Limits of what is included: the number of functions, their least part of all samples, and the
 * number of rows, which are some 3 MB before compression. */
#define FUNCTIONS_MAX 60
#define WORTH_A_LOOK  0.001
#define ROWS_MAX      30000

/* Rows around each one with samples. */
#define LINES_AROUND        4
#define INSTRUCTIONS_AROUND 8

#define NUMBER_BYTES   24
#define HEAT_CELLS     4
#define COUNT_OF(list) (sizeof(list) / sizeof((list)[0]))

static const struct table_column line_columns[] = {
	{ "function", COLUMN_NUMBER }, { "inlined", 0 }, { "file", 0 },
	{ "line", COLUMN_NUMBER },     { "text", 0 },    ANNOTATION_HEAT_COLUMNS,
};

static const struct table_column instruction_columns[] = {
	{ "function", COLUMN_NUMBER }, { "address", COLUMN_NUMBER },
	{ "size", COLUMN_NUMBER },     { "text", 0 },
	{ "target", COLUMN_NUMBER },   { "line", COLUMN_NUMBER },
	ANNOTATION_HEAT_COLUMNS,
};

struct filling {
	const struct profile *profile;
	const struct source_folders *folders;
	struct table lines, instructions;
	size_t rows;
};

/* Buffers for the numbers of a row. */
struct numbers {
	char texts[8][NUMBER_BYTES];
	size_t count;
};

static const char *print(struct numbers *numbers, uint64_t number)
{
	char *text = numbers->texts[numbers->count++];

	snprintf(text, NUMBER_BYTES, "%" PRIu64, number);
	return text;
}

/* Fills in the cells of a line; heat is NULL if it has no samples, and its cells are empty then. */
static void put_heat(const char **cells, struct numbers *numbers,
		     const struct annotation_heat *heat)
{
	cells[0] = heat ? print(numbers, heat->self.samples) : NULL;
	cells[1] = heat ? print(numbers, heat->total.samples) : NULL;
	cells[2] = heat ? print(numbers, heat->self.ns) : NULL;
	cells[3] = heat ? print(numbers, heat->total.ns) : NULL;
}

/* A function's lines while they are added. */
struct lines {
	struct filling *filling;
	const struct annotation *annotation;
	struct source_text text;
	const char *path; /* of the text; NULL: none yet */
};

static int add_line(struct lines *lines, const struct annotation_line *line, uint32_t number,
		    const struct annotation_heat *heat)
{
	const struct annotation *annotation = lines->annotation;
	bool is_own = line->function == annotation->function;
	struct numbers numbers = { .count = 0 };
	const char *cells[COUNT_OF(line_columns)] = {
		print(&numbers, annotation->function),
		is_own ? NULL : annotation->profile->functions.list[line->function].name,
		line->source,
		number ? print(&numbers, number) : NULL,
		source_text_line(&lines->text, number),
	};

	put_heat(cells + COUNT_OF(line_columns) - HEAT_CELLS, &numbers, heat);
	lines->filling->rows++;
	return table_add(&lines->filling->lines, cells);
}

/* Opens the text of a line. Lines of one file are neighbours, so one file is open at a time. A
 * missing file has no text, which is not an error. */
static int open_text(struct lines *lines, const struct annotation_line *line)
{
	if (!line->source || line->source == lines->path)
		return 0;
	source_text_close(&lines->text);
	lines->path = line->source;
	return source_text_open(&lines->text, line->source, lines->filling->folders) == -ENOMEM
		       ? -ENOMEM
		       : 0;
}

static bool is_same_text(const struct annotation_line *a, const struct annotation_line *b)
{
	return a->source == b->source && a->function == b->function;
}

/* Adds the lines in between, as far as there is text. */
static int add_around(struct lines *lines, const struct annotation_line *line, uint32_t from,
		      uint32_t until)
{
	int status = 0;

	for (uint32_t number = from; number < until && !status; number++)
		if (source_text_line(&lines->text, number))
			status = add_line(lines, line, number, NULL);
	return status;
}

/* Adds a line and its context, from the end of what was added before up to the next one. */
static int add_with_context(struct lines *lines, size_t place, uint32_t *done)
{
	const struct annotation *annotation = lines->annotation;
	const struct annotation_line *line = &annotation->lines[place];
	const struct annotation_line *next = place + 1 < annotation->line_count ? line + 1 : NULL;
	uint32_t from = line->line > LINES_AROUND ? line->line - LINES_AROUND : 1;
	uint32_t until = line->line + LINES_AROUND + 1;
	int status;

	if (from <= *done)
		from = *done + 1;
	if (next && is_same_text(line, next) && next->line < until)
		until = next->line;
	status = line->line ? add_around(lines, line, from, line->line) : 0;
	if (!status)
		status = add_line(lines, line, line->line, &line->heat);
	if (!status && line->line)
		status = add_around(lines, line, line->line + 1, until);
	*done = next && is_same_text(line, next) ? until - 1 : 0;
	return status;
}

static int add_lines(struct filling *filling, const struct annotation *annotation)
{
	struct lines lines = { .filling = filling, .annotation = annotation };
	uint32_t done = 0;
	int status = 0;

	for (size_t i = 0; i < annotation->line_count && !status; i++) {
		status = open_text(&lines, &annotation->lines[i]);
		if (!status)
			status = add_with_context(&lines, i, &done);
	}
	source_text_close(&lines.text);
	return status;
}

static int add_instruction(struct filling *filling, uint32_t function,
			   const struct annotation_instruction *instruction)
{
	struct numbers numbers = { .count = 0 };
	const char *cells[COUNT_OF(instruction_columns)] = {
		print(&numbers, function),
		print(&numbers, instruction->address),
		print(&numbers, instruction->size),
		instruction->text,
		instruction->is_target ? "1" : "0",
		instruction->line ? print(&numbers, instruction->line) : NULL,
	};

	put_heat(cells + COUNT_OF(instruction_columns) - HEAT_CELLS, &numbers,
		 instruction->heat.total.samples ? &instruction->heat : NULL);
	filling->rows++;
	return table_add(&filling->instructions, cells);
}

/* Returns whether an instruction near a place has samples. */
static bool is_near(const struct annotation_code *code, size_t place)
{
	size_t from = place > INSTRUCTIONS_AROUND ? place - INSTRUCTIONS_AROUND : 0;

	for (size_t i = from; i < code->count && i <= place + INSTRUCTIONS_AROUND; i++)
		if (code->list[i].heat.total.samples)
			return true;
	return false;
}

static int add_instructions(struct filling *filling, const struct annotation *annotation,
			    struct err *err)
{
	struct annotation_code code = { 0 };
	int status = annotation_code_make(&code, annotation, DISASSEMBLER_ATT, err);

	if (status == -ENOENT)
		return 0;
	for (size_t i = 0; i < code.count && !status; i++)
		if (code.list[i].is_a_part && is_near(&code, i) &&
		    add_instruction(filling, annotation->function, &code.list[i]))
			status = err_no_memory(err);
	annotation_code_free(&code);
	return status;
}

static int add_function(struct filling *filling, uint32_t function, bool *is_cold, struct err *err)
{
	struct annotation annotation;
	int status = annotation_make(&annotation, filling->profile, function, err);

	if (status)
		return status;
	*is_cold = (double)annotation.heat.self.samples <
		   WORTH_A_LOOK * (double)filling->profile->totals.kept.samples;
	if (!*is_cold && annotation_has_lines(&annotation) && add_lines(filling, &annotation))
		status = err_no_memory(err);
	if (!*is_cold && !status)
		status = add_instructions(filling, &annotation, err);
	annotation_free(&annotation);
	return status;
}

/* Adds functions from the hottest on, as long as there is room. */
static int fill(struct filling *filling, struct err *err)
{
	struct spec_list all = { 0 };
	uint32_t *functions = NULL;
	size_t count = 0;
	bool is_cold = false;
	int status = spec_list_add(&all, "*", err);

	if (!status)
		status = annotation_choose(filling->profile, &all, &functions, &count, err);
	for (size_t i = 0; i < count && i < FUNCTIONS_MAX && !is_cold && !status; i++) {
		if (filling->rows >= ROWS_MAX)
			break;
		status = add_function(filling, functions[i], &is_cold, err);
	}
	free(functions);
	spec_list_free(&all);
	return status;
}

int page_inside_write(const struct page_source *source, FILE *out, struct err *err)
{
	struct filling filling = { .profile = source->profile, .folders = &source->folders };
	int status;

	table_init(&filling.lines, "lines", line_columns, COUNT_OF(line_columns));
	table_init(&filling.instructions, "instructions", instruction_columns,
		   COUNT_OF(instruction_columns));
	status = source->profile && source->has_inside ? fill(&filling, err) : 0;
	if (!status)
		table_write_all((const struct table *[]){ &filling.lines, &filling.instructions },
				2, TABLE_JSON, out);
	table_fini(&filling.lines);
	table_fini(&filling.instructions);
	return status;
}
