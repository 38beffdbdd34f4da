/* SPDX-License-Identifier: MIT
 *
 * test_inlines.c FOLDER - tests/prog/inlined*.c, compiled to all forms of debug information; the
 * source shows which functions are inlined where, and these must be found.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#include "../inlined_spots.h"
#include "symbol/symbolizer.h"

static const char *sources;
static char folder[] = "/tmp/test_inlines.XXXXXX";

/* Runs a shell command in the folder. */
__attribute__((format(printf, 1, 2))) static bool run(const char *format, ...)
{
	char command[4096];
	int length = snprintf(command, sizeof(command), "cd %s && exec >/dev/null 2>&1; ", folder);
	va_list args;

	va_start(args, format);
	vsnprintf(command + length, sizeof(command) - (size_t)length, format, args);
	va_end(args);
	return system(command) == 0;
}

static uint32_t line_of(const char *file, const char *name)
{
	return spots_line(sources, file, name);
}

/* A library under test. */
struct subject {
	char path[256]; /* looked up */
	char *symbols;  /* of the file that has them, for spots_find() */
	struct symbolizer symbolizer;
	struct symbolizer_object *object;
};

static void open_subject(struct subject *subject, const char *name, const char *whole)
{
	static const struct build_id none;
	char path[256];

	snprintf(subject->path, sizeof(subject->path), "%s/%s", folder, name);
	snprintf(path, sizeof(path), "%s/%s", folder, whole);
	subject->symbols = spots_read(path);
	symbolizer_init(&subject->symbolizer);
	subject->symbolizer.debug_folder = folder;
	subject->object = symbolizer_object(&subject->symbolizer, subject->path, &none);
	if (!subject->object)
		bail_out("no memory");
}

static void close_subject(struct subject *subject)
{
	symbolizer_fini(&subject->symbolizer);
	free(subject->symbols);
}

static struct place ask(struct subject *subject, uint64_t offset)
{
	struct place place;

	if (symbolizer_find(&subject->symbolizer, subject->object, offset, &place))
		bail_out("no memory");
	return place;
}

/* A frame that must be found. */
struct expected {
	const char *symbol, *file, *line;
};

static bool is_frame(const struct place_frame *frame, const struct expected *expected)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", sources, expected->file);
	return frame->symbol && strcmp(frame->symbol, expected->symbol) == 0 && frame->source &&
	       strcmp(frame->source, path) == 0 &&
	       frame->line == line_of(expected->file, expected->line);
}

static bool is_chain(const struct place *place, const struct expected *expected, size_t depth)
{
	if (place->depth != depth)
		return false;
	for (size_t i = 0; i < depth; i++)
		if (!is_frame(&place->frames[i], &expected[i]))
			return false;
	return true;
}

static void describe(const struct place *place)
{
	for (size_t i = 0; i < place->depth; i++)
		note("frame %zu: %s %s:%u", i,
		     place->frames[i].symbol ? place->frames[i].symbol : "?",
		     place->frames[i].source ? place->frames[i].source : "?",
		     (unsigned)place->frames[i].line);
}

/* Returns how many spots of a name have this chain. */
static size_t count_chains(struct subject *subject, const char *name,
			   const struct expected *expected, size_t depth)
{
	uint64_t spots[SPOTS_MAX];
	size_t count = spots_find(subject->symbols, name, spots), found = 0;

	for (size_t i = 0; i < count; i++) {
		struct place place = ask(subject, spots[i]);

		if (is_chain(&place, expected, depth))
			found++;
	}
	for (size_t i = 0; i < count && !found; i++) {
		struct place place = ask(subject, spots[i]);

		describe(&place);
	}
	return found;
}

/* Finds the place of a spot at this depth, in the function of this name. */
static struct place find_place(struct subject *subject, const char *name, size_t depth,
			       const char *function)
{
	uint64_t spots[SPOTS_MAX];
	size_t count = spots_find(subject->symbols, name, spots);

	for (size_t i = 0; i < count; i++) {
		struct place place = ask(subject, spots[i]);

		if (place.depth == depth && place_function(&place)->symbol &&
		    strcmp(place_function(&place)->symbol, function) == 0)
			return place;
	}
	note("there is no spot '%s' of depth %zu in %s", name, depth, function);
	return (struct place){ .depth = 1 };
}

static bool has_chains(struct subject *subject)
{
	struct expected first[] = { { "leaf", "inlined.h", "leaf" },
				    { "middle", "inlined.h", "middle, first" },
				    { "outer", "inlined.c", "outer" } };
	struct expected second[] = { first[0],
				     { "middle", "inlined.h", "middle, second" },
				     first[2] };
	const struct expected itself[] = { { "outer", "inlined.c", "outer, itself" } };

	return count_chains(subject, "leaf", first, 3) == 1 &&
	       count_chains(subject, "leaf", second, 3) == 1 &&
	       count_chains(subject, "outer", itself, 1) == 1;
}

static bool same(const struct place_frame *a, const struct place_frame *b)
{
	return a->symbol && a->symbol == b->symbol && a->start == b->start;
}

/* Inlined in both units, and called: all are one function. */
static bool joins_shared(struct subject *subject)
{
	struct place one = find_place(subject, "shared", 2, "twice");
	struct place two = find_place(subject, "shared", 2, "other");
	struct place copy = find_place(subject, "shared", 1, "shared");

	return same(&one.frames[0], &two.frames[0]) && same(&one.frames[0], &copy.frames[0]);
}

/* Each unit has its own, inlined and called. */
static bool parts_helpers(struct subject *subject)
{
	struct place one = find_place(subject, "helper", 2, "twice");
	struct place copy = find_place(subject, "helper", 1, "helper");
	struct place two = find_place(subject, "other_helper", 2, "other");
	struct place other = find_place(subject, "other_helper", 1, "helper");

	return same(&one.frames[0], &copy.frames[0]) && same(&two.frames[0], &other.frames[0]) &&
	       !same(&one.frames[0], &two.frames[0]) && copy.frames[0].start;
}

static void check_chains(const char *name, const char *whole, const char *what)
{
	struct subject subject;

	open_subject(&subject, name, whole);
	ok(has_chains(&subject), "%s: what is inlined where, and its lines", what);
	close_subject(&subject);
}

static void check(const char *name, const char *whole, const char *what)
{
	struct subject subject;

	check_chains(name, whole, what);
	open_subject(&subject, name, whole);
	ok(joins_shared(&subject) && parts_helpers(&subject),
	   "%s: copies are one function, and others of its name are not", what);
	subject.symbolizer.inlines = false;
	ok(find_place(&subject, "leaf", 1, "outer").frames[0].line == line_of("inlined.h", "leaf"),
	   "%s: without inlining, the line is that of the code still", what);
	close_subject(&subject);
}

static bool has(const char *command)
{
	return run("command -v %s", command);
}

/* Compiles one file, whose code is mapped where it lies. */
static bool compile(const char *compiler, const char *options, const char *name)
{
	return run("%s -O2 %s -fPIC -shared -Wl,-z,noseparate-code -Wl,--build-id=sha1 -o %s "
		   "%s/inlined.c %s/inlined_other.c",
		   compiler, options, name, sources, sources);
}

/* Returns whether a .dwo file has functions of no length: where the linker may shorten code, these
 * are relocations, and nothing applies those of a .dwo file. */
static bool lacks_lengths(const char *options)
{
	return strstr(options, "-gsplit-dwarf") &&
	       run("readelf -wi *.dwo | grep -q 'DW_AT_high_pc.*[ )]0x*0*$'");
}

static void compiled(void)
{
	static const char *const compilers[] = { "gcc", "clang" };
	static const char *const options[] = { "-gdwarf-4", "-gdwarf-5", "-gdwarf-5 -gsplit-dwarf",
					       "-gdwarf-4 -gsplit-dwarf",
					       "-gdwarf-5 -gz -fno-omit-frame-pointer" };
	char what[128];

	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < sizeof(options) / sizeof(options[0]); j++) {
			snprintf(what, sizeof(what), "%s %s", compilers[i], options[j]);
			if (!has(compilers[i]))
				skip(what, "this compiler is not installed");
			else if (!compile(compilers[i], options[j], "library.so"))
				ok(false, "%s: cannot be compiled", what);
			else if (lacks_lengths(options[j]))
				skip(what, "the assembler has left all lengths to the linker");
			else
				check("library.so", "library.so", what);
		}
	}
}

static void linked_late(void)
{
	if (!has("gcc") || !compile("gcc", "-gdwarf-5 -flto -ffat-lto-objects", "late.so"))
		skip("optimized by the linker", "this machine cannot do that");
	else
		/* Copies have other symbols then, such as shared.lto_priv.0. */
		check_chains("late.so", "late.so", "optimized by the linker");
}

/* The forms of distributions: a stripped file, a debug file, and the common parts that dwz moves
 * out.
 */
static void stripped(void)
{
	if (!has("gcc") || !compile("gcc", "-gdwarf-4", "whole.so")) {
		skip("debug files", "there is no gcc");
		return;
	}
	ok(run("objcopy --only-keep-debug whole.so whole.debug && strip -o bare.so whole.so && "
	       "objcopy --add-gnu-debuglink=whole.debug bare.so"),
	   "there is a debug file");
	check("bare.so", "whole.so", "in a debug file");
	if (!has("dwz")) {
		skip("a file made by dwz", "it is not installed");
		return;
	}
	ok(compile("gcc", "-gdwarf-4 -DANOTHER", "another.so") &&
		   run("cp whole.so packed.so && dwz -m common.debug packed.so another.so && "
		       "readelf -S packed.so | grep -q gnu_debugaltlink"),
	   "dwz takes what two have in common out of them");
	check("packed.so", "whole.so", "by dwz");
}

/* Truncated or invalid debug information gives some result, and nothing breaks. The fuzzer does
 * more of that. */
static void damaged(void)
{
	uint64_t spots[SPOTS_MAX];
	size_t count = 0, found = 0;

	if (!has("gcc") || !compile("gcc", "-gdwarf-5", "whole.so")) {
		skip("damaged debug information", "there is no gcc");
		return;
	}
	for (unsigned section = 0; section < 4; section++) {
		static const char *const names[] = { ".debug_info", ".debug_abbrev", ".debug_line",
						     ".debug_rnglists" };
		struct subject subject;

		if (!run("objcopy -O binary -j %s --set-section-flags %s=alloc whole.so part && "
			 "head -c 40 part >cut && "
			 "objcopy --update-section %s=cut whole.so damaged.so",
			 names[section], names[section], names[section]))
			continue;
		open_subject(&subject, "damaged.so", "whole.so");
		count = spots_find(subject.symbols, "leaf", spots);
		for (size_t i = 0; i < count; i++) {
			struct place place = ask(&subject, spots[i]);

			found += strcmp(place_function(&place)->symbol, "outer") == 0;
		}
		close_subject(&subject);
	}
	ok(found && found % count == 0, "damaged debug information leaves symbols as they are");
}

int main(int argc, char **argv)
{
	if (argc < 2)
		bail_out("which folder are the sources in?");
	sources = argv[1];
	if (!mkdtemp(folder))
		bail_out("there is no room for files");
	compiled();
	linked_late();
	stripped();
	damaged();
	run("rm -r %s", folder);
	return tap_done();
}
