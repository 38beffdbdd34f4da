/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "annotation_rows.h"

/* Instructions around each one with samples. */
#define USUAL_CONTEXT 5

/* Columns before instructions; lines of source begin there as well. */
#define ADDRESS_WIDTH 8

/* A listing being written. */
struct listing {
	const struct annotation_text *text;
	const struct annotation_rows *rows;
	struct source_text *sources; /* looked for so far, */
	const char **paths;          /* and their paths */
	size_t source_count;
	const struct annotation_instruction *last; /* the last one written */
};

/* Returns the lines of a source file, empty if it was not found, or NULL without memory. */
static const struct source_text *source_of(struct listing *listing, const char *path)
{
	struct source_text *texts;
	const char **paths;

	for (size_t i = 0; i < listing->source_count; i++)
		if (listing->paths[i] == path)
			return &listing->sources[i];
	texts = vec_room(listing->sources, listing->source_count, sizeof(*texts));
	if (texts)
		listing->sources = texts;
	paths = vec_room(listing->paths, listing->source_count, sizeof(*paths));
	if (paths)
		listing->paths = paths;
	if (!texts || !paths)
		return NULL;
	texts += listing->source_count;
	if (source_text_open(texts, path, listing->text->folders) == -ENOMEM)
		return NULL;
	listing->paths[listing->source_count++] = path;
	return texts;
}

static const char *title_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Writes the line of source from here on, if it is another one. */
static int write_source(struct listing *listing, const struct annotation_instruction *instruction)
{
	const struct annotation_instruction *last = listing->last;
	const struct source_text *source;
	const char *line;

	if (!instruction->source ||
	    (last && last->source == instruction->source && last->line == instruction->line))
		return 0;
	source = source_of(listing, instruction->source);
	if (!source)
		return -ENOMEM;
	line = source_text_line(source, instruction->line);
	annotation_rows_begin(listing->rows, NULL);
	fprintf(listing->rows->out, "%*s  %s:%" PRIu32 "%s", ADDRESS_WIDTH, "",
		title_of(instruction->source), instruction->line, line ? "  " : "");
	annotation_rows_end(listing->rows, line ? line + strspn(line, " \t") : "");
	return 0;
}

static int write_instruction(struct listing *listing,
			     const struct annotation_instruction *instruction)
{
	int status = write_source(listing, instruction);

	if (status)
		return status;
	annotation_rows_begin(listing->rows, &instruction->heat);
	/* A colon, as after a label, marks targets of jumps. */
	fprintf(listing->rows->out, "%*" PRIx64 "%c ", ADDRESS_WIDTH, instruction->address,
		instruction->is_target ? ':' : ' ');
	annotation_rows_end(listing->rows, instruction->text);
	listing->last = instruction;
	return 0;
}

/* Shows an instruction if one with samples is at most `left` before it, which counts down from each
 * of these. */
static void choose_one(const struct annotation_code *code, size_t at, bool is_first, bool *shown,
		       size_t context, size_t *left)
{
	const struct annotation_instruction *instruction = &code->list[at];

	if (is_first)
		*left = 0;
	if (instruction->heat.total.samples)
		*left = context + 1;
	/* Only instructions of the inlined function are shown, not the surrounding code. */
	shown[at] = shown[at] || (*left && instruction->is_a_part);
	*left -= *left > 0;
}

/* Chooses the instructions to show: those with samples, and the context of each in the same piece.
 * Returns NULL without memory. */
static bool *choose(const struct annotation_text *text)
{
	const struct annotation_code *code = text->code;
	size_t context = text->has_context ? text->context : USUAL_CONTEXT, left = 0;
	bool *shown = calloc(code->count + 1, sizeof(*shown));

	for (size_t i = 0; shown && i < code->count; i++)
		choose_one(code, i, i && code->list[i - 1].piece != code->list[i].piece, shown,
			   context, &left);
	left = 0;
	for (size_t i = code->count; shown && i-- > 0;)
		choose_one(code, i,
			   i + 1 < code->count && code->list[i + 1].piece != code->list[i].piece,
			   shown, context, &left);
	return shown;
}

static int write_shown(struct listing *listing, const bool *shown)
{
	const struct annotation_code *code = listing->text->code;
	bool skipped = false;
	int status = 0;

	for (size_t i = 0; i < code->count && !status; i++) {
		const struct annotation_instruction *instruction = &code->list[i];

		if (!shown[i]) {
			skipped = true;
			continue;
		}
		/* Nothing is omitted before the first one. */
		if (listing->last && instruction->piece != listing->last->piece)
			putc('\n', listing->rows->out);
		else if (listing->last && skipped)
			annotation_rows_skip(listing->rows);
		skipped = false;
		status = write_instruction(listing, instruction);
	}
	return status;
}

static void find_hottest(const struct annotation_code *code, struct annotation_rows *rows)
{
	for (size_t i = 0; i < code->count; i++) {
		uint64_t ns = annotation_rows_ns(rows, &code->list[i].heat);

		if (ns > rows->hottest_ns)
			rows->hottest_ns = ns;
	}
}

int annotation_asm_write(const struct annotation_text *text, struct annotation_rows *rows,
			 struct err *err)
{
	struct listing listing = { .text = text, .rows = rows };
	bool *shown = choose(text);
	int status = shown ? 0 : -ENOMEM;

	find_hottest(text->code, rows);
	putc('\n', rows->out);
	annotation_rows_write_head(rows, " address  instruction");
	if (!status)
		status = write_shown(&listing, shown);
	for (size_t i = 0; i < listing.source_count; i++)
		source_text_close(&listing.sources[i]);
	free(listing.sources);
	free(listing.paths);
	free(shown);
	return status ? err_no_memory(err) : 0;
}
