/* SPDX-License-Identifier: MIT */
#include "annotation_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotation_rows.h"
#include "output/table/printable.h"
#include "output/table/units.h"
#include "symbol/short_name.h"

/* Lines around each one with samples. */
#define USUAL_CONTEXT 3

/* Lines before the body of a function that are searched for its name. */
#define LONGEST_HEAD 4

/* Lines of one function in one file. */
struct section {
	const struct annotation_line *lines;
	size_t count;
	const char *source; /* NULL: unknown */
	bool is_own;        /* of the function itself, not inlined */
};

static struct section section_at(const struct annotation *annotation, size_t begin)
{
	const struct annotation_line *first = &annotation->lines[begin];
	struct section section = { .lines = first,
				   .source = first->source,
				   .is_own = first->function == annotation->function };

	while (begin + section.count < annotation->line_count &&
	       first[section.count].function == first->function &&
	       first[section.count].source == first->source)
		section.count++;
	return section;
}

static const struct function *function_of(const struct annotation *annotation, uint32_t number)
{
	return &annotation->profile->functions.list[number];
}

/* Returns the name of a function to show, to be freed; NULL: no memory. */
static char *name_of(const struct annotation_text *text, uint32_t function)
{
	char *name = strdup(function_of(text->annotation, function)->name);

	if (name && !text->long_names)
		short_name(name);
	return name;
}

static void write_title(const struct annotation_text *text, FILE *out)
{
	const struct annotation *annotation = text->annotation;
	const struct annotation_heat *heat = &annotation->heat;
	const struct function *function = function_of(annotation, annotation->function);
	bool is_event = annotation->profile->totals.event;
	char time[UNITS_BYTES], count[UNITS_BYTES], share[UNITS_BYTES], self[UNITS_BYTES];
	char *name = name_of(text, annotation->function);

	printable_print(out, "%s in %s: %s, %s %s, %s of all", name ? name : function->name,
			function->object, units_amount(time, (double)heat->total.ns, is_event),
			units_count(count, heat->total.samples),
			heat->total.samples == 1 ? "sample" : "samples",
			units_share(share, (double)heat->total.ns,
				    (double)annotation->profile->totals.kept.ns));
	free(name);
	if (!heat->self.ns)
		fputs("; none in its own code", out);
	else if (heat->self.ns != heat->total.ns)
		fprintf(out, "; %s in its own code",
			units_amount(self, (double)heat->self.ns, is_event));
	putc('\n', out);
}

static void write_section_title(const struct annotation_text *text, const struct section *section,
				FILE *out)
{
	const char *path = section->source ? section->source : "source unknown";
	char *name = name_of(text, section->lines->function);

	if (section->is_own)
		printable_print(out, "\n%s\n", path);
	else
		printable_print(out, "\ninlined in it: %s, %s\n", name ? name : "?", path);
	free(name);
}

/* A section being written: the next lines of the file. */
struct listing {
	const struct annotation_text *text;
	const struct annotation_rows *rows;
	const struct section *section;
	const struct source_text *source;
	uint32_t start; /* first line of the function; 0: unknown */
	uint32_t last;  /* last line written; 0: none */
};

static void write_line(struct listing *listing, uint32_t number, const struct annotation_heat *heat)
{
	const char *text = source_text_line(listing->source, number);

	annotation_rows_begin(listing->rows, heat);
	if (number)
		fprintf(listing->rows->out, "%6" PRIu32, number);
	else
		fprintf(listing->rows->out, "%6s", "?");
	if (!number)
		text = "line unknown";
	fputs(text && *text ? "  " : "", listing->rows->out);
	annotation_rows_end(listing->rows, text ? text : "");
	listing->last = number;
}

/* Returns whether a function ends here in most compiled languages: another one follows. */
static bool is_end(const struct listing *listing, uint32_t number)
{
	const char *line = source_text_line(listing->source, number);

	return line && *line == '}';
}

static bool is_blank(const struct listing *listing, uint32_t number)
{
	const char *line = source_text_line(listing->source, number);

	return line && line[strspn(line, " \t")] == '\0';
}

/* Returns whether a line may be one of several before a function's body that contain its name. */
static bool is_head(const struct listing *listing, uint32_t number)
{
	const char *line = source_text_line(listing->source, number);

	return line && *line && !strchr("}#/*", *line) && strncmp(line, " *", 2) != 0;
}

/* Finds the first line of the function, with its name; compilers record where its body begins.
 * Returns 0 if unknown. */
static uint32_t find_start(const struct listing *listing)
{
	const struct annotation *annotation = listing->text->annotation;
	uint32_t start = annotation->first_line;

	if (!listing->section->is_own || listing->section->source != annotation->source)
		return 0;
	for (uint32_t i = 0; i < LONGEST_HEAD && start > 1 && is_head(listing, start - 1); i++)
		start--;
	return start;
}

/* Return the first line of context before a line, and the end of context after it. */
static uint32_t first_around(const struct listing *listing, uint32_t line, uint32_t context)
{
	uint32_t from = line > context ? line - context : 1;

	if (from < listing->start && listing->start <= line)
		from = listing->start;
	for (uint32_t i = from; i < line; i++)
		if (is_end(listing, i))
			from = i + 1;
	while (from < line && is_blank(listing, from))
		from++;
	return from;
}

static uint32_t end_around(const struct listing *listing, uint32_t line, uint32_t context)
{
	uint32_t until = line < UINT32_MAX - context ? line + context + 1 : UINT32_MAX;

	for (uint32_t i = line; i < until && source_text_line(listing->source, i); i++)
		if (is_end(listing, i))
			until = i + 1;
	while (until > line + 1 && is_blank(listing, until - 1))
		until--;
	return until;
}

/* Writes lines without samples, as far as the file has them. */
static void write_around(struct listing *listing, uint32_t from, uint32_t until)
{
	/* A mark for omitted lines takes a row as well. */
	if (listing->last && from > listing->last + 2 && listing->source->count)
		annotation_rows_skip(listing->rows);
	else if (listing->last)
		from = listing->last + 1;
	for (; from < until && source_text_line(listing->source, from); from++)
		write_line(listing, from, NULL);
}

static void write_lines(struct listing *listing)
{
	const struct annotation_text *text = listing->text;
	const struct section *section = listing->section;
	uint32_t context = text->has_context ? text->context : USUAL_CONTEXT;

	listing->start = find_start(listing);
	if (listing->start && section->lines->line &&
	    listing->start < first_around(listing, section->lines->line, context))
		write_around(listing, listing->start, listing->start + 1);
	for (size_t i = 0; i < section->count; i++) {
		const struct annotation_line *line = &section->lines[i];
		uint32_t next = i + 1 < section->count ? section->lines[i + 1].line : UINT32_MAX;
		uint32_t until = end_around(listing, line->line, context);

		if (line->line)
			write_around(listing, first_around(listing, line->line, context),
				     line->line);
		write_line(listing, line->line, &line->heat);
		if (line->line)
			write_around(listing, line->line + 1, until < next ? until : next);
	}
}

/* Source files that are not on this machine. */
struct missing {
	const char *path; /* of the first one */
	size_t count;
};

static void write_missing(const struct missing *missing, bool is_archive, FILE *out)
{
	if (!missing->count)
		return;
	if (is_archive) {
		fputs("\nan archive contains no source; use --source-path DIR\n", out);
		return;
	}
	printable_print(out, "\n'%s'", missing->path);
	if (missing->count > 1)
		fputs(" and others are", out);
	else
		fputs(" is", out);
	fputs(" not on this machine; use --source-path DIR\n", out);
}

static int write_section(const struct annotation_text *text, const struct annotation_rows *rows,
			 const struct section *section, struct missing *missing)
{
	struct source_text source = { 0 };
	struct listing listing = {
		.text = text, .rows = rows, .section = section, .source = &source
	};
	int status = section->source ? source_text_open(&source, section->source, text->folders)
				     : -ENOENT;

	if (status == -ENOMEM)
		return status;
	/* The same file may be missing for several functions. */
	if (status && section->source && section->source != missing->path) {
		if (!missing->count++)
			missing->path = section->source;
	}
	write_section_title(text, section, rows->out);
	annotation_rows_write_head(rows, "  line");
	write_lines(&listing);
	source_text_close(&source);
	return 0;
}

/* Finds the hottest line, of the function itself or of those inlined in it. */
static uint64_t find_hottest(const struct annotation_rows *rows,
			     const struct annotation *annotation, bool is_own)
{
	uint64_t hottest = 0;

	for (size_t i = 0; i < annotation->line_count; i++) {
		uint64_t ns = annotation_rows_ns(rows, &annotation->lines[i].heat);

		if ((annotation->lines[i].function == annotation->function) == is_own &&
		    ns > hottest)
			hottest = ns;
	}
	return hottest;
}

static int write_sections(const struct annotation_text *text, struct annotation_rows *rows)
{
	const struct annotation *annotation = text->annotation;
	struct missing missing = { 0 };
	int status = 0;

	for (size_t i = 0; i < annotation->line_count && !status;) {
		struct section section = section_at(annotation, i);

		rows->hottest_ns = find_hottest(rows, annotation, section.is_own);
		status = write_section(text, rows, &section, &missing);
		i += section.count;
	}
	write_missing(&missing, text->folders->nowhere_else, rows->out);
	return status;
}

int annotation_text_write(const struct annotation_text *text, FILE *out, struct err *err)
{
	const struct annotation_heat *all = &text->annotation->heat;
	struct annotation_rows rows = { .out = out,
					.has_color = text->has_color,
					.all = all,
					.has_total = all->total.ns != all->self.ns };

	write_title(text, out);
	if (text->code)
		return annotation_asm_write(text, &rows, err);
	if (!annotation_has_lines(text->annotation))
		return 0;
	return write_sections(text, &rows) ? err_no_memory(err) : 0;
}
