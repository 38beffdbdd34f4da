/* SPDX-License-Identifier: MIT */
#include "page_inside.h"

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

struct inside {
	const struct profile *profile;
	const struct source_folders *folders;
	struct annotation_tables tables;
	size_t rows;
};

/* A function's lines while they are added. */
struct lines {
	struct inside *inside;
	const struct annotation *annotation;
	struct source_text text;
};

/* Adds a line; heat is NULL if it has no samples. */
static int add_line(struct lines *lines, const struct annotation_line *line, uint32_t number,
		    const struct annotation_heat *heat)
{
	lines->inside->rows++;
	return annotation_tables_add_line(&lines->inside->tables, lines->annotation, line, number,
					  source_text_line(&lines->text, number), heat);
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

static int add_lines(struct inside *inside, const struct annotation *annotation)
{
	struct lines lines = { .inside = inside, .annotation = annotation };
	uint32_t done = 0;
	int status = 0;

	for (size_t i = 0; i < annotation->line_count && !status; i++) {
		status = source_text_switch(&lines.text, annotation->lines[i].source,
					    inside->folders);
		if (!status)
			status = add_with_context(&lines, i, &done);
	}
	source_text_close(&lines.text);
	return status;
}

static int add_instruction(struct inside *inside, const struct annotation *annotation,
			   const struct annotation_instruction *instruction)
{
	const struct annotation_heat *heat = &instruction->heat;

	inside->rows++;
	return annotation_tables_add_instruction(&inside->tables, annotation, instruction,
						 heat->total.samples ? heat : NULL);
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

static int add_instructions(struct inside *inside, const struct annotation *annotation,
			    struct err *err)
{
	struct annotation_code code = { 0 };
	int status = annotation_code_make(&code, annotation, DISASSEMBLER_ATT, err);

	if (status == -ENOENT)
		return 0;
	for (size_t i = 0; i < code.count && !status; i++)
		if (code.list[i].is_a_part && is_near(&code, i) &&
		    add_instruction(inside, annotation, &code.list[i]))
			status = err_no_memory(err);
	annotation_code_free(&code);
	return status;
}

static int add_function(struct inside *inside, uint32_t function, bool *is_cold, struct err *err)
{
	struct annotation annotation;
	int status = annotation_make(&annotation, inside->profile, function, err);

	if (status)
		return status;
	*is_cold = (double)annotation.heat.self.samples <
		   WORTH_A_LOOK * (double)inside->profile->totals.kept.samples;
	if (!*is_cold && annotation_has_lines(&annotation) && add_lines(inside, &annotation))
		status = err_no_memory(err);
	if (!*is_cold && !status)
		status = add_instructions(inside, &annotation, err);
	annotation_free(&annotation);
	return status;
}

/* Adds functions from the hottest on, as long as there is room. */
static int fill(struct inside *inside, struct err *err)
{
	struct spec_list all = { 0 };
	uint32_t *functions = NULL;
	size_t count = 0;
	bool is_cold = false;
	int status = spec_list_add(&all, "*", err);

	if (!status)
		status = annotation_choose(inside->profile, &all, &functions, &count, err);
	for (size_t i = 0; i < count && i < FUNCTIONS_MAX && !is_cold && !status; i++) {
		if (inside->rows >= ROWS_MAX)
			break;
		status = add_function(inside, functions[i], &is_cold, err);
	}
	free(functions);
	spec_list_free(&all);
	return status;
}

int page_inside_write(const struct page_source *source, FILE *out, struct err *err)
{
	struct inside inside = { .profile = source->profile, .folders = &source->folders };
	int status;

	annotation_tables_init(&inside.tables, ANNOTATION_PAGE);
	status = source->profile && source->has_inside ? fill(&inside, err) : 0;
	if (!status)
		table_write_all((const struct table *[]){ &inside.tables.lines,
							  &inside.tables.instructions },
				2, TABLE_JSON, out);
	annotation_tables_fini(&inside.tables);
	return status;
}
