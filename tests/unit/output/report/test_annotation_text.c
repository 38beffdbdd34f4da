/* SPDX-License-Identifier: MIT
 *
 * test_annotation_text.c LIBRARY SOURCES - the text of an annotated function; see inlined_profile.h
 * for the samples.
 */
#include "../../inlined_profile.h"
#include "output/report/annotation_table.h"
#include "output/report/annotation_text.h"

static const char *sources;

static uint32_t line_of(const char *file, const char *name)
{
	return spots_line(sources, file, name);
}

/* Finds a function by its name. */
static void annotate(struct annotation *annotation, const struct profile *profile, const char *name)
{
	struct err err;

	for (uint32_t i = 0; i < profile->functions.count; i++) {
		if (strcmp(profile->functions.list[i].name, name) != 0)
			continue;
		if (annotation_make(annotation, profile, i, &err))
			bail_out(err.text);
		return;
	}
	bail_out("there is no such function");
}

/* Returns the text; free with free(). */
static char *write_text(const struct annotation_text *text)
{
	char *bytes;
	size_t size;
	struct err err;
	FILE *out = open_memstream(&bytes, &size);

	if (!out || annotation_text_write(text, out, &err) || fclose(out))
		bail_out("the text cannot be written");
	return bytes;
}

/* Returns whether there is a line that begins so. */
static bool has(const char *text, const char *line)
{
	char wanted[256];

	snprintf(wanted, sizeof(wanted), "\n%s", line);
	if (strncmp(text, line, strlen(line)) == 0 || strstr(text, wanted))
		return true;
	note("there is no line '%s' in:", line);
	note("%s", text);
	return false;
}

static bool has_line(const char *text, const char *format, uint32_t number, const char *rest)
{
	char line[256], end[256];

	snprintf(end, sizeof(end), "%6u  %s", (unsigned)number, rest);
	snprintf(line, sizeof(line), format, end);
	return has(text, line);
}

static void check_source(const struct annotation_text *text)
{
	char *out = write_text(text);

	ok(has(out, "outer in "), "its name comes first");
	ok(strstr(out, ": 167 ns, 4 samples, 100.0% of all; 160 ns in its own code\n"),
	   "and how much there was");
	ok(has_line(out, "    6.0%%   10.2%%        1  %s", line_of("inlined.c", "outer, itself"),
		    "        SPOT(\"outer\");"),
	   "a line that calls");
	ok(has_line(out, ">  89.8%%   89.8%%        2  %s", line_of("inlined.c", "outer"),
		    "        return middle(x) + 1;"),
	   "the hottest is marked");
	ok(has_line(out, "                           %s", line_of("inlined.c", "outer, itself") - 2,
		    "__attribute__((noinline)) unsigned outer(unsigned x)"),
	   "the line that it begins with is there");
	ok(!strstr(out, "unsigned helper("), "the code before it is not");
	ok(strstr(out, "\ninlined in it: leaf, ") &&
		   has_line(out, ">  89.8%%   89.8%%        2  %s", line_of("inlined.h", "leaf"),
			    "        SPOT(\"leaf\");"),
	   "inlined code has lines of its own");
	free(out);
}

static void check_color(const struct annotation_text *text)
{
	struct annotation_text other = *text;
	char *out;

	other.has_color = true;
	out = write_text(&other);
	ok(strstr(out, "\n\033[1;31m>  89.8%   89.8%        2  \033[0m"), "a hot line is red");
	ok(strstr(out, "\n    6.0%   10.2%        1  "), "and nothing else");
	free(out);
}

/* Its sources are not where they were compiled, as on another machine. */
static void check_missing(const struct annotation_text *text)
{
	struct annotation annotation = *text->annotation;
	struct annotation_line lines[3];
	struct annotation_text other = *text;
	char *out, line[64];

	memcpy(lines, annotation.lines, sizeof(lines));
	for (size_t i = 0; i < 3; i++)
		lines[i].source = i < 2 ? "/gone/inlined.c" : "/gone/inlined.h";
	lines[2].line = 0;
	annotation.lines = lines;
	other.annotation = &annotation;
	out = write_text(&other);
	snprintf(line, sizeof(line), ">  89.8%%   89.8%%        2  %6u\n", (unsigned)lines[1].line);
	ok(has(out, line), "without the source, numbers of lines are there");
	ok(has(out,
	       "'/gone/inlined.c' and others are not on this machine; use --source-path DIR\n"),
	   "and a sentence says why");
	ok(strstr(out, "?  line unknown\n"), "code may be of no line");
	free(out);
}

/* The instruction of SPOT(), which capstone names by its length on some CPUs. */
#ifdef __riscv
#define NOP "  c.nop\n"
#else
#define NOP "  nop\n"
#endif

static void check_code(const struct annotation_text *text)
{
	struct annotation_text other = *text;
	struct annotation_code code;
	struct err err;
	char *out, *all;

	if (annotation_code_make(&code, text->annotation, DISASSEMBLER_ATT, &err)) {
		skip("instructions", err.text);
		return;
	}
	other.code = &code;
	out = write_text(&other);
	ok(has(out, "    self   total  samples   address  instruction") && strstr(out, NOP),
	   "instructions");
	ok(strstr(out, "inlined.h:") && strstr(out, "SPOT(\"leaf\");"), "and lines before them");
	other.has_context = true;
	other.context = UINT32_MAX;
	all = write_text(&other);
	ok(strstr(all, " ret") && strlen(all) >= strlen(out), "all of them if that is asked for");
	other.context = 0;
	free(out);
	out = write_text(&other);
	ok(!strstr(out, " ret") && strlen(out) < strlen(all), "or only those that samples are at");
	free(out);
	free(all);
	annotation_code_free(&code);
}

static void check_tables(const struct annotation_text *text)
{
	struct annotation_tables tables;
	char *out;
	size_t size;
	struct err err;
	FILE *stream = open_memstream(&out, &size);

	annotation_tables_init(&tables, ANNOTATION_REPORT);
	if (!stream || annotation_tables_add(&tables, text->annotation, NULL, text->folders, &err))
		bail_out("the tables cannot be made");
	table_write(&tables.lines, TABLE_CSV, stream);
	fclose(stream);
	ok(has(out, "function,object,inlined,file,line,text,self,total,self_ns,total_ns") &&
		   strstr(out, ",2,2,150,150\n") && strstr(out, ",leaf,"),
	   "lines for programs");
	ok(tables.functions.cell_count == 7 && tables.instructions.cell_count == 0,
	   "a row for the function, and none for instructions unless requested");
	annotation_tables_fini(&tables);
	free(out);
}

/* The page names functions by their number, and has rows without samples. */
static void check_page(const struct annotation_text *text)
{
	const struct annotation *annotation = text->annotation;
	struct annotation_tables tables;
	char *out, row[64];
	size_t size;
	FILE *stream = open_memstream(&out, &size);

	annotation_tables_init(&tables, ANNOTATION_PAGE);
	if (!stream ||
	    annotation_tables_add_line(&tables, annotation, &annotation->lines[0], 7, "near", NULL))
		bail_out("the tables cannot be made");
	table_write(&tables.lines, TABLE_CSV, stream);
	table_write(&tables.instructions, TABLE_CSV, stream);
	fclose(stream);
	snprintf(row, sizeof(row), "\n%u,,", annotation->function);
	ok(has(out, "function,inlined,file,line,text,self,total,self_ns,total_ns") &&
		   strstr(out, row) && strstr(out, ",7,near,,,,\n"),
	   "lines for the page");
	ok(strstr(out, "function,address,size,text,target,line,self,total,self_ns,total_ns\n"),
	   "instructions for the page");
	annotation_tables_fini(&tables);
	free(out);
}

int main(int argc, char **argv)
{
	struct profile_filter filter = { .lines = true };
	struct source_folders folders = { 0 };
	struct inlined_profile inlined;
	struct annotation annotation;
	struct annotation_text text = { .annotation = &annotation, .folders = &folders };
	char *library;

	if (argc < 3 || access(argv[1], R_OK))
		bail_out("which library, and where are its sources?");
	library = realpath(argv[1], NULL);
	sources = argv[2];
	inlined_profile_read(&inlined, library, &filter);
	annotate(&annotation, &inlined.profile, "outer");
	check_source(&text);
	check_color(&text);
	check_missing(&text);
	check_code(&text);
	check_tables(&text);
	check_page(&text);
	annotation_free(&annotation);
	inlined_profile_free(&inlined);
	free(library);
	return tap_done();
}
