/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table/bar.h"
#include "output/table/printable.h"
#include "tap.h"

/* A stream in memory, and its contents. */
static char *written;
static size_t written_bytes;

static void is_written(FILE *out, const char *expected, const char *what)
{
	fclose(out);
	if (!ok(strcmp(written, expected) == 0, "%s", what))
		note("got '%s', not '%s'", written, expected);
	free(written);
}

static void cut(const char *text, size_t limit, const char *expected, const char *what)
{
	FILE *out = open_memstream(&written, &written_bytes);
	size_t width = printable_write_cut(text, limit, out);

	ok(width == printable_width(expected) && width <= limit, "%zu columns", width);
	is_written(out, expected, what);
}

static void cuts(void)
{
	cut("sqlite3BtreeIndexMoveto", 15, "sqlite3Btree...", "a name is cut at its end");
	cut("a_long_file_of_mine.cpp:1204", 15, "a_lo...cpp:1204",
	    "a line is cut in the middle: its number stays");
	cut("std::vector<int, std::allocator<int> >::push_back", 21, "std::ve...::push_back",
	    "a C++ name in the middle: its end tells most");
	cut("ns::parse(std::vector<int> const&, bool) const", 20, "ns::parse(...)",
	    "its parameters go first");
	cut("clang::format::Parser::parse(std::vector<int> const&)", 26,
	    "clang::format::P...::parse", "then what is before its last part");
	cut("a::b(int)::{lambda()#1}::operator()(long, long) const", 40,
	    "a::b(int)::{lambda()#1}::operator()(...)", "the last parameters are its own");
	cut("(anonymous namespace)::a_function_that_is_long", 24, "(anonym...n_that_is_long",
	    "text in brackets need not be parameters");
	cut("ledger::Book<...>::Page<...>::recalculate", 31, "ledger::Book<...::recalculate",
	    "dots are not doubled");
	cut("std::map<a::b, c::d>::operator[]", 24, "std::map<...::operator[]",
	    "and text in other brackets is not a part");
	cut("f(a::b, a::b)", 8, "f(...)", "a name of one part");
	cut("/usr/lib/x86_64-linux-gnu/libz.so.1", 18, "/usr/.../libz.so.1",
	    "a path as well, and most is left of its end");
	cut("/usr/bin/python3 words.py README.md", 18, "/usr/bin/python...",
	    "a command is not a path: it is cut at its end");
	cut("r\xc3\xa9sum\xc3\xa9s", 6, "r\xc3\xa9s...", "columns are characters, not bytes");
	cut("a::\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", 6, "a...\xc3\xa9\xc3\xa9",
	    "none is parted from behind either");
	cut("\x1b[31m::\x1b[31m", 17, "\\x1b[...:\\x1b[31m",
	    "a byte shown as \\xNN takes four columns");
	cut("name", 3, "...", "as little as that");
}

static void widths(void)
{
	ok(printable_width("r\xc3\xa9sum\xc3\xa9") == 6, "bytes that continue take no column");
	ok(printable_width("a\n") == 5, "control characters take four");
	ok(printable_width_bytes("abc", 2) == 2, "of a part");
}

static void shown(const char *text, const char *expected, const char *what)
{
	FILE *out = open_memstream(&written, &written_bytes);

	printable_write(text, out);
	ok(printable_width(text) == printable_width(expected), "as wide as it is");
	is_written(out, expected, what);
}

static void harmless(void)
{
	FILE *out;

	shown("a\x1b]0;title\x07", "a\\x1b]0;title\\x07", "escape sequences");
	shown("\xc2\x9b"
	      "2J",
	      "\\xc2\\x9b2J", "their short form, in UTF-8");
	shown("\x9b"
	      "2J",
	      "\\x9b2J", "and by itself");
	shown("\xe2\x80\xae"
	      "txt.\xe2\x81\xa6",
	      "\\xe2\\x80\\xaetxt.\\xe2\\x81\\xa6", "characters that reverse text");
	shown("\xe2\x82\xac \xf0\x9f\x98\x80", "\xe2\x82\xac \xf0\x9f\x98\x80",
	      "other characters are shown");
	shown("\xe2\x82", "\\xe2\\x82", "a character that is cut");
	shown("\xc0\x9b\xed\xa0\x80", "\\xc0\\x9b\\xed\\xa0\\x80", "and invalid ones");
	out = open_memstream(&written, &written_bytes);
	printable_write_within("abcdef", 6, out);
	printable_write_within("abcdef", 5, out);
	is_written(out, "abcdefab...", "text that does not fit is cut");
	out = open_memstream(&written, &written_bytes);
	printable_print(out, "'%s' is %d\n", "\x1b[7m", 7);
	is_written(out, "'\\x1b[7m' is 7\n", "sentences end their lines, and nothing else");
}

static void line(const char *text, size_t limit, size_t expected, const char *what)
{
	size_t bytes = printable_line_bytes(text, limit);

	if (!ok(bytes == expected, "%s", what))
		note("%zu", bytes);
}

static void lines(void)
{
	line("one two three", 13, 13, "a text that fits is one line");
	line("one two three", 12, 7, "one that does not ends at a blank");
	line("one two three", 7, 7, "which may be right behind it");
	line("onetwothree", 4, 4, "without a blank, a word is parted");
	line("\x01"
	     "abc",
	     2, 1, "there is always something on a line, lest it never ends");
	line("", 4, 0, "nothing takes nothing");
}

static void bar(double part, bool has_utf8, const char *expected, size_t columns, const char *what)
{
	FILE *out = open_memstream(&written, &written_bytes);

	ok(bar_write(part, has_utf8, out) == columns, "%zu columns", columns);
	is_written(out, expected, what);
}

#define FULL "\xe2\x96\x88"

static void bars(void)
{
	bar(1, true, FULL FULL FULL FULL FULL FULL FULL FULL FULL FULL, 10, "all");
	bar(2, false, "##########", 10, "more than all is all");
	bar(0.25, true, FULL FULL "\xe2\x96\x8c", 3, "two and a half blocks");
	bar(1.0 / 80, true, "\xe2\x96\x8f", 1, "an eighth");
	bar(7.0 / 80, true, "\xe2\x96\x89", 1, "seven eighths");
	bar(0.25, false, "###", 3, "without UTF-8, whole columns");
	bar(0.04, false, "", 0, "or none");
	bar(0, true, "", 0, "nothing");
	bar(0.0 / 0.0, true, "", 0, "no number");
}

int main(void)
{
	cuts();
	widths();
	harmless();
	lines();
	bars();
	return tap_done();
}
