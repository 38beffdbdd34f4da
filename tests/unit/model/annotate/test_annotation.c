/* SPDX-License-Identifier: MIT
 *
 * test_annotation.c LIBRARY SOURCES - inlined functions and lines, in all reports of samples; see
 * inlined_profile.h for the data.
 */
#include "../../inlined_profile.h"
#include "model/annotate/annotation.h"
#include "model/annotate/annotation_code.h"
#include "model/profile/call_tree.h"
#include "model/profile/profile_rows.h"
#include "model/annotate/source_text.h"

static const char *library, *sources;

static uint32_t line_of(const char *file, const char *name)
{
	return spots_line(sources, file, name);
}

static bool is_amount(const struct profile_amount *self, const struct profile_amount *total,
		      uint64_t self_ns, uint64_t total_ns)
{
	if (self->ns == self_ns && total->ns == total_ns)
		return true;
	note("self %llu, total %llu", (unsigned long long)self->ns, (unsigned long long)total->ns);
	return false;
}

static bool is_row(const struct profile_rows *rows, const char *name, uint64_t self_ns,
		   uint64_t total_ns)
{
	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->rows[i].name, name) == 0)
			return is_amount(&rows->rows[i].self, &rows->rows[i].total, self_ns,
					 total_ns);
	return false;
}

static void functions(void)
{
	struct profile_filter filter = { 0 };
	struct inlined_profile inlined;
	struct profile_rows rows;
	struct err err;

	inlined_profile_read(&inlined, library, &filter);
	if (profile_rows_make(&rows, &inlined.profile, PROFILE_BY_FUNCTION, &err))
		bail_out(err.text);
	ok(rows.count == 5 && is_row(&rows, "leaf", 150, 150) && is_row(&rows, "middle", 0, 150) &&
		   is_row(&rows, "outer", 10, 167),
	   "inlined functions have rows, and their time is not the self time of others");
	ok(is_row(&rows, "shared", 7, 7) && is_row(&rows, "twice", 0, 7),
	   "so have those in what was called");
	profile_rows_free(&rows);
	inlined_profile_free(&inlined);

	filter.no_inline = true;
	inlined_profile_read(&inlined, library, &filter);
	if (profile_rows_make(&rows, &inlined.profile, PROFILE_BY_FUNCTION, &err))
		bail_out(err.text);
	ok(rows.count == 2 && is_row(&rows, "outer", 160, 167) && is_row(&rows, "twice", 7, 7),
	   "unless symbols alone are asked for");
	profile_rows_free(&rows);
	inlined_profile_free(&inlined);
}

/* Returns true if a row of a function has this line. */
static bool has_line(const struct profile_rows *rows, const char *name, const char *file,
		     const char *line)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct profile_row *row = &rows->rows[i];

		if (strcmp(row->name, name) == 0 && row->source &&
		    strcmp(strrchr(row->source, '/') + 1, file) == 0 &&
		    row->line == line_of(file, line))
			return true;
	}
	return false;
}

static void lines(void)
{
	struct profile_filter filter = { .lines = true };
	struct inlined_profile inlined;
	struct profile_rows rows;
	struct err err;

	inlined_profile_read(&inlined, library, &filter);
	if (profile_rows_make(&rows, &inlined.profile, PROFILE_BY_LINE, &err))
		bail_out(err.text);
	profile_rows_sort(&rows, "line");
	ok(rows.count == 7 && is_row(&rows, "leaf", 150, 150),
	   "a line of several addresses is one row");
	ok(has_line(&rows, "middle", "inlined.h", "middle, first") &&
		   has_line(&rows, "middle", "inlined.h", "middle, second"),
	   "two calls in a function are two lines");
	ok(has_line(&rows, "outer", "inlined.c", "outer") &&
		   has_line(&rows, "outer", "inlined.c", "outer, itself") &&
		   has_line(&rows, "twice", "inlined.c", "twice"),
	   "inlined code counts at the line of its call");
	ok(strcmp(rows.rows[0].name, "outer") == 0 && strcmp(rows.rows[6].name, "shared") == 0,
	   "by file and line");
	profile_rows_free(&rows);
	inlined_profile_free(&inlined);
}

static const struct call_node *node_of(const struct profile *profile, const struct call_tree *tree,
				       const char *name)
{
	for (size_t i = 0; i < tree->count; i++)
		if (strcmp(profile->functions.list[tree->nodes[i].function].name, name) == 0)
			return &tree->nodes[i];
	bail_out("the tree has no such function");
}

static void trees(void)
{
	struct profile_filter filter = { 0 };
	struct inlined_profile inlined;
	struct call_tree tree;
	struct err err;

	inlined_profile_read(&inlined, library, &filter);
	if (call_tree_make(&tree, &inlined.profile, CALL_TREE_DOWN, 0, &err))
		bail_out(err.text);
	ok(tree.count == 5 && node_of(&inlined.profile, &tree, "leaf")->depth == 2,
	   "inlined functions are below those they are in");
	ok(node_of(&inlined.profile, &tree, "leaf")->is_inlined &&
		   node_of(&inlined.profile, &tree, "middle")->is_inlined &&
		   !node_of(&inlined.profile, &tree, "outer")->is_inlined &&
		   !node_of(&inlined.profile, &tree, "twice")->is_inlined,
	   "and are distinguished from those that were called");
	call_tree_free(&tree);
	inlined_profile_free(&inlined);
}

/* Returns the number of the function that a spec chooses first. */
static uint32_t choose(const struct profile *profile, const char *text, size_t *count)
{
	struct spec_list specs = { 0 };
	uint32_t *list, first;
	struct err err;

	if (spec_list_add(&specs, text, &err) ||
	    annotation_choose(profile, &specs, &list, count, &err))
		bail_out(err.text);
	first = *count ? list[0] : HASH_NONE;
	free(list);
	spec_list_free(&specs);
	return first;
}

static bool is_line(const struct annotation *annotation, size_t at, const char *function,
		    const char *file, const char *line)
{
	const struct annotation_line *found = &annotation->lines[at];

	return at < annotation->line_count && found->source &&
	       strcmp(annotation->profile->functions.list[found->function].name, function) == 0 &&
	       strcmp(strrchr(found->source, '/') + 1, file) == 0 &&
	       found->line == line_of(file, line);
}

static bool is_heat(const struct annotation_heat *heat, uint64_t self_ns, uint64_t total_ns)
{
	return is_amount(&heat->self, &heat->total, self_ns, total_ns);
}

static void check_lines(const struct annotation *annotation)
{
	ok(is_heat(&annotation->heat, 160, 167), "code of what is inlined is the function's own");
	ok(annotation->line_count == 3 && annotation->own_count == 2 &&
		   annotation_has_lines(annotation),
	   "there are the function's own lines and others");
	ok(is_line(annotation, 0, "outer", "inlined.c", "outer, itself") &&
		   is_heat(&annotation->lines[0].heat, 10, 17),
	   "time of functions called from a line is in its total");
	ok(is_line(annotation, 1, "outer", "inlined.c", "outer") &&
		   is_heat(&annotation->lines[1].heat, 150, 150),
	   "time of functions inlined at a line is in its self time");
	ok(is_line(annotation, 2, "leaf", "inlined.h", "leaf") &&
		   is_heat(&annotation->lines[2].heat, 150, 150),
	   "and counts at the line that its code is of");
	ok(annotation->first_line && annotation->first_line <= annotation->lines[0].line &&
		   strcmp(annotation->source, annotation->lines[0].source) == 0,
	   "it begins before them");
}

/* Checks all instructions of a function, in order, with all samples. */
static void check_code(const struct annotation *annotation)
{
	struct annotation_code code;
	uint64_t start, end, next, self = 0, total = 0;
	bool is_whole = true;
	struct err err;

	inlined_extent(library, "outer", &start, &end);
	if (annotation_code_make(&code, annotation, DISASSEMBLER_ATT, &err)) {
		skip("instructions", err.text);
		return;
	}
	next = start;
	for (size_t i = 0; i < code.count; i++) {
		const struct annotation_instruction *instruction = &code.list[i];

		is_whole = is_whole && instruction->address == next && instruction->is_a_part;
		next = instruction->address + instruction->size;
		self += instruction->heat.self.ns;
		total += instruction->heat.total.ns;
	}
	ok(is_whole && next == end, "instructions are all of the function, as nm knows it");
	ok(self == 160 && total == 167, "and have all of its samples");
	annotation_code_free(&code);
}

static void check_inlined_code(const struct profile *profile)
{
	size_t count, parts = 0, others = 0;
	struct annotation annotation;
	struct annotation_code code;
	bool is_right = true;
	struct err err;

	if (annotation_make(&annotation, profile, choose(profile, "leaf", &count), &err))
		bail_out(err.text);
	ok(is_heat(&annotation.heat, 150, 150) && annotation.line_count == 1 &&
		   !annotation.first_line,
	   "a function that is only inlined has no beginning");
	if (annotation_code_make(&code, &annotation, DISASSEMBLER_INTEL, &err)) {
		skip("instructions of what is inlined", err.text);
	} else {
		for (size_t i = 0; i < code.count; i++) {
			parts += code.list[i].is_a_part;
			others += !code.list[i].is_a_part;
			is_right =
				is_right && (code.list[i].is_a_part || !code.list[i].heat.total.ns);
		}
		ok(parts >= 2 && others && is_right,
		   "its instructions are distinguished from those around them");
	}
	annotation_code_free(&code);
	annotation_free(&annotation);
}

static void annotations(void)
{
	struct profile_filter filter = { .lines = true };
	struct inlined_profile inlined;
	struct annotation annotation;
	struct err err;
	uint32_t outer;
	size_t count;

	inlined_profile_read(&inlined, library, &filter);
	outer = choose(&inlined.profile, "*", &count);
	ok(count == 5 && outer == choose(&inlined.profile, "outer", &count) && count == 1,
	   "the function with most time in its code comes first");
	choose(&inlined.profile, "nothing", &count);
	ok(count == 0, "a function that does not match is not chosen");
	if (annotation_make(&annotation, &inlined.profile, outer, &err))
		bail_out(err.text);
	check_lines(&annotation);
	check_code(&annotation);
	annotation_free(&annotation);
	check_inlined_code(&inlined.profile);
	inlined_profile_free(&inlined);
}

static bool nowhere_else;

static bool opens(const char *path, const char *folder)
{
	const char *list[] = { folder };
	struct source_folders folders = { list, folder ? 1 : 0, nowhere_else };
	struct source_text text;
	const char *line;
	bool found;

	if (source_text_open(&text, path, &folders))
		return false;
	line = source_text_line(&text, 1);
	found = line && strstr(line, "SPDX") && !source_text_line(&text, 0) &&
		!source_text_line(&text, (uint32_t)text.count + 1);
	source_text_close(&text);
	return found;
}

static void texts(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/inlined.c", sources);
	ok(opens(path, NULL), "a source file where it was");
	ok(opens("/gone/build/prog/inlined.c", sources), "below a folder, by the end of its path");
	snprintf(path, sizeof(path), "%s/..", sources);
	ok(opens("../prog/inlined.c", path) && opens("/gone/prog/inlined.c", path),
	   "also by more than its name");
	ok(!opens("/gone/inlined.c", NULL) && !opens("/gone/inlined.x", sources) &&
		   !opens("/dev/null", NULL),
	   "and not otherwise");
	snprintf(path, sizeof(path), "%s/inlined.c", sources);
	nowhere_else = true;
	ok(!opens(path, NULL) && !opens(path, "/gone") && opens(path, sources),
	   "a path of an archive is looked for in the folders alone");
	ok(!opens("musl/../../tap.h", sources) && opens("musl/../../inlined.c", sources),
	   "and not outside of them");
	nowhere_else = false;
}

/* One file is open at a time, until another one is asked for. */
static void switches(void)
{
	struct source_folders folders = { &sources, 1, false };
	struct source_text text = { 0 };
	const char *one = "inlined.c", *gone = "gone.c", *bytes;
	int status = source_text_switch(&text, one, &folders);

	bytes = text.bytes;
	ok(!status && source_text_line(&text, 1), "a file is opened");
	ok(!source_text_switch(&text, one, &folders) && text.bytes == bytes,
	   "and stays open while lines of it are asked for");
	ok(!source_text_switch(&text, gone, &folders) && !source_text_line(&text, 1),
	   "one that is missing has no lines");
	ok(!source_text_switch(&text, one, &folders) && source_text_line(&text, 1) &&
		   !source_text_switch(&text, NULL, &folders) && !source_text_line(&text, 1),
	   "nor has none");
	source_text_close(&text);
}

int main(int argc, char **argv)
{
	if (argc < 3 || access(argv[1], R_OK))
		bail_out("which library, and where are its sources?");
	library = realpath(argv[1], NULL);
	sources = argv[2];
	functions();
	lines();
	trees();
	annotations();
	texts();
	switches();
	return tap_done();
}
