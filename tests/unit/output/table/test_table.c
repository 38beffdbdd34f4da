/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "output/table/table.h"
#include "tap.h"

static const struct table_column grouped[] = {
	{ "library", COLUMN_GROUP }, { "calls", COLUMN_NUMBER }, { "name" }, { "key", COLUMN_DATA }
};
static const struct table_column flat[] = { { "name" }, { "calls", COLUMN_NUMBER } };

static void writes(const struct table *table, enum table_format format, const char *expected,
		   const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table_write(table, format, out);
	fclose(out);
	if (!ok(strcmp(text, expected) == 0, "%s", what))
		note("got %s", text);
	free(text);
}

/* Checks a cell in a format; its row has only this cell. */
static void cell(enum table_format format, const char *text, const char *expected, const char *what)
{
	static const struct table_column column[] = { { "c" } };
	static const char *const frames[] = { "c\n%s\n", "{\"meta\":{},\"t\":[\n{\"c\":%s}\n]}\n",
					      "c\n%s\n" };
	char framed[256];
	struct table table;

	table_init(&table, "t", column, 1);
	table_add(&table, &text);
	if (format == TABLE_JSON)
		snprintf(framed, sizeof(framed), frames[TABLE_JSON], expected);
	else
		snprintf(framed, sizeof(framed), frames[TABLE_CSV], expected);
	writes(&table, format, framed, what);
	table_fini(&table);
}

static void whole_tables(void)
{
	struct table table;

	table_init(&table, "rows", grouped, 4);
	table_add_meta(&table, "file", "a \"b\"");
	table_add(&table, (const char *[]){ "libz", "7", "inflate", "k1" });
	table_add(&table, (const char *[]){ "libz", "1234", "deflate", NULL });
	table_add(&table, (const char *[]){ "libq", NULL, "q", "k3" });
	writes(&table, TABLE_TEXT,
	       "libz  (2)\n     7  inflate\n  1234  deflate\n\nlibq  (1)\n  q\n",
	       "text: groups with headings, numbers on the right, no columns without a cell");
	writes(&table, TABLE_JSON,
	       "{\"meta\":{\"file\":\"a \\\"b\\\"\"},\"rows\":[\n"
	       "{\"library\":\"libz\",\"calls\":7,\"name\":\"inflate\",\"key\":\"k1\"},\n"
	       "{\"library\":\"libz\",\"calls\":1234,\"name\":\"deflate\",\"key\":null},\n"
	       "{\"library\":\"libq\",\"calls\":null,\"name\":\"q\",\"key\":\"k3\"}\n]}\n",
	       "json: all columns, numbers bare, null for what is not there");
	writes(&table, TABLE_CSV,
	       "library,calls,name,key\nlibz,7,inflate,k1\nlibz,1234,deflate,\nlibq,,q,k3\n",
	       "csv: all columns, nothing for what is not there");
	table_fini(&table);
}

static void flat_tables(void)
{
	struct table table;

	table_init(&table, "rows", flat, 2);
	writes(&table, TABLE_TEXT, "name  calls\n", "text: a table without rows has its names");
	writes(&table, TABLE_JSON, "{\"meta\":{},\"rows\":[\n]}\n", "json: an empty array");
	writes(&table, TABLE_CSV, "name,calls\n", "csv: the line of names");
	table_add(&table, (const char *[]){ "r\xc3\xa9sum\xc3\xa9", "12" });
	table_add(&table,
		  (const char *[]){ "an_even_longer_name_than_any_column_is_made_for", "1" });
	writes(&table, TABLE_TEXT,
	       "name                                      calls\n"
	       "r\xc3\xa9sum\xc3\xa9                                       12\n"
	       "an_even_longer_name_than_any_column_is_made_for      1\n",
	       "text: columns of characters, not bytes; what is very long sticks out");
	table_fini(&table);
}

static void kinds_of_meta(void)
{
	struct table table;

	table_init(&table, "rows", flat, 2);
	table_add_meta(&table, "text", "7");
	table_add_meta(&table, "nothing", NULL);
	table_add_meta_number(&table, "number", UINT64_MAX);
	table_add_meta_list(&table, "list", (const char *[]){ "a\"", "b" }, 2);
	table_add_meta_list(&table, "empty", NULL, 0);
	writes(&table, TABLE_JSON,
	       "{\"meta\":{\"text\":\"7\",\"nothing\":null,\"number\":18446744073709551615,"
	       "\"list\":[\"a\\\"\",\"b\"],\"empty\":[]},\"rows\":[\n]}\n",
	       "json: texts, numbers, lists and nothing in meta");
	writes(&table, TABLE_CSV, "name,calls\n", "csv: there is no meta");
	table_fini(&table);
}

static void write_both(const struct table *const *tables, enum table_format format,
		       const char *expected, const char *what)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	table_write_all(tables, 2, format, out);
	fclose(out);
	if (!ok(strcmp(text, expected) == 0, "%s", what))
		note("got %s", text);
	free(text);
}

static void several_tables(void)
{
	struct table one, other;
	const struct table *const tables[] = { &one, &other };

	table_init(&one, "one", flat, 2);
	table_init(&other, "other", flat, 2);
	table_add(&one, (const char *[]){ "a", "1" });
	table_add(&other, (const char *[]){ "b", "2" });
	table_add_meta_digits(&one, "rate", "99.5");
	write_both(tables, TABLE_JSON,
		   "{\"meta\":{\"rate\":99.5},\"one\":[\n{\"name\":\"a\",\"calls\":1}\n],"
		   "\"other\":[\n{\"name\":\"b\",\"calls\":2}\n]}\n",
		   "json: several tables are one object, with the meta of the first");
	write_both(tables, TABLE_CSV, "name,calls\na,1\n\nname,calls\nb,2\n",
		   "csv: one below the other");
	table_fini(&one);
	table_fini(&other);
}

static void narrow_tables(void)
{
	static const struct table_column columns[] = { { "calls", COLUMN_NUMBER },
						       { "name", COLUMN_GIVES },
						       { "library" } };
	struct table table;

	table_init(&table, "rows", columns, 3);
	table_add(&table, (const char *[]){ "7", "a_name_that_is_very_long", "libz" });
	table_add(&table,
		  (const char *[]){ "8", "r\xc3\xa9sum\xc3\xa9s_of_r\xc3\xa9sum\xc3\xa9s_of",
				    "libq" });
	table.terminal.width = 37;
	writes(&table, TABLE_TEXT,
	       "calls  name                   library\n"
	       "    7  a_name_that_is_ver...  libz\n"
	       "    8  r\xc3\xa9sum\xc3\xa9s_of_r\xc3\xa9sum\xc3\xa9s_of  libq\n",
	       "text: one column gives where the line would be too wide");
	table.terminal.width = 100;
	writes(&table, TABLE_TEXT,
	       "calls  name                      library\n"
	       "    7  a_name_that_is_very_long  libz\n"
	       "    8  r\xc3\xa9sum\xc3\xa9s_of_r\xc3\xa9sum\xc3\xa9s_of     libq\n",
	       "text: and takes what it needs where there is room");
	table.terminal.width = 10;
	writes(&table, TABLE_TEXT,
	       "calls  name                  library\n"
	       "    7  a_name_that_is_ve...  libz\n"
	       "    8  r\xc3\xa9sum\xc3\xa9s_of_r\xc3\xa9sum\xc3\xa9...  libq\n",
	       "text: but not below what a name needs");
	table_fini(&table);
}

/* Drops columns by importance on terminals that have no room for all. */
static void dropped_columns(void)
{
	static const struct table_column columns[] = {
		{ "self", COLUMN_NUMBER },
		{ "samples", COLUMN_NUMBER | COLUMN_DROPS_1ST },
		{ "share", COLUMN_NUMBER | COLUMN_DROPS_3RD },
		{ "name", COLUMN_GIVES },
		{ "library", COLUMN_GIVES_TOO | COLUMN_DROPS_LAST },
	};
	struct table table;

	table_init(&table, "rows", columns, 5);
	table_add(&table, (const char *[]){ "1 s", "999", "50%", "a_name_that_is_very_long",
					    "libsomething.so.1" });
	table.terminal.width = 56;
	writes(&table, TABLE_TEXT,
	       "self  samples  share  name                  library\n"
	       " 1 s      999    50%  a_name_that_is_ve...  libsometh...\n",
	       "names and libraries are cut first");
	table.terminal.width = 50;
	writes(&table, TABLE_TEXT,
	       "self  share  name                  library\n"
	       " 1 s    50%  a_name_that_is_ve...  libsomething...\n",
	       "then the least important column goes, and others have its room");
	table.terminal.width = 40;
	writes(&table, TABLE_TEXT,
	       "self  name                  library\n"
	       " 1 s  a_name_that_is_ve...  libsometh...\n",
	       "then the next");
	table.terminal.width = 30;
	writes(&table, TABLE_TEXT,
	       "self  name\n"
	       " 1 s  a_name_that_is_very_long\n",
	       "the last that can go is gone, and names have all of its room");
	table.terminal.width = 0;
	writes(&table, TABLE_TEXT,
	       "self  samples  share  name                      library\n"
	       " 1 s      999    50%  a_name_that_is_very_long  libsomething.so.1\n",
	       "files and pipes have all");
	table_fini(&table);
}

/* Checks two rows of a profile on a terminal with these features. */
static void on_terminal(struct terminal terminal, const char *expected, const char *what)
{
	static const struct table_column columns[] = {
		{ "share", COLUMN_NUMBER | COLUMN_STYLED },
		{ "", COLUMN_BAR },
		{ "function", COLUMN_GIVES | COLUMN_TREE | COLUMN_STYLED },
		{ "object", COLUMN_GIVES_TOO | COLUMN_DIM },
	};
	struct table table;

	table_init(&table, "rows", columns, 4);
	table_add_looking(&table, (const char *[]){ "50.0%", NULL, "main", "prog" },
			  table_look_of(50, 100));
	table_add_looking(&table, (const char *[]){ "5.0%", NULL, "  work_and_work", "libwork.so" },
			  table_look_of(5, 100));
	table_add_looking(&table, (const char *[]){ "1.0%", NULL, "    rest", NULL },
			  table_look_of(1, 100));
	table.terminal = terminal;
	writes(&table, TABLE_TEXT, expected, what);
	table_fini(&table);
}

#define BLOCKS "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88"
#define LINE   "\xe2\x94\x82"

static void terminals(void)
{
	on_terminal((struct terminal){ 0 },
		    "share  function         object\n"
		    "50.0%  main             prog\n"
		    " 5.0%    work_and_work  libwork.so\n"
		    " 1.0%      rest         \n",
		    "no terminal: no bars, no lines of trees, no colours");
	on_terminal((struct terminal){ .width = 80 },
		    "share              function         object\n"
		    "50.0%  ##########  main             prog\n"
		    " 5.0%  #           | work_and_work  libwork.so\n"
		    " 1.0%              | | rest         \n",
		    "a terminal: bars, the longest a full one, and lines of trees");
	on_terminal((struct terminal){ .width = 80, .has_utf8 = true },
		    "share              function         object\n"
		    "50.0%  " BLOCKS BLOCKS "  main             prog\n"
		    " 5.0%  \xe2\x96\x88           " LINE " work_and_work  libwork.so\n"
		    " 1.0%  \xe2\x96\x8e           " LINE " " LINE " rest         \n",
		    "UTF-8: in eighths");
	on_terminal((struct terminal){ .has_color = true },
		    "\033[1mshare\033[0m  \033[1mfunction\033[0m         \033[1mobject\033[0m\n"
		    "\033[1;31m50.0%\033[0m  \033[1;31mmain\033[0m             \033[2mprog\033[0m\n"
		    " \033[31m5.0%\033[0m  \033[31m  work_and_work\033[0m  "
		    "\033[2mlibwork.so\033[0m\n"
		    " 1.0%      rest         \n",
		    "colours alone, as --color=always has them in a file");
	on_terminal((struct terminal){ .width = 80, .has_color = true },
		    "\033[1mshare\033[0m              \033[1mfunction\033[0m         "
		    "\033[1mobject\033[0m\n"
		    "\033[1;31m50.0%\033[0m  \033[1;31m##########\033[0m  "
		    "\033[1;31mmain\033[0m             \033[2mprog\033[0m\n"
		    " \033[31m5.0%\033[0m  \033[31m#\033[0m           \033[2m| "
		    "\033[0m\033[31mwork_and_work\033[0m  \033[2mlibwork.so\033[0m\n"
		    " 1.0%              \033[2m| | \033[0mrest         \n",
		    "colours: hot, warm and plain rows, dim objects and lines");
	on_terminal((struct terminal){ .width = 40 },
		    "share  function         object\n"
		    "50.0%  main             prog\n"
		    " 5.0%  | work_and_work  libwork.so\n"
		    " 1.0%  | | rest         \n",
		    "bars are the first to go");
	on_terminal((struct terminal){ .width = 20 },
		    "share  function         object\n"
		    "50.0%  main             prog\n"
		    " 5.0%  | work_and_work  libwork.so\n"
		    " 1.0%  | | rest         \n",
		    "names are not cut below what they need");
}

static void deep_trees(void)
{
	static const struct table_column columns[] = { { "function", COLUMN_GIVES | COLUMN_TREE } };
	struct table table;

	table_init(&table, "rows", columns, 1);
	table_add(&table, (const char *[]){ "a" });
	table_add(&table, (const char *[]){ "    deeper_and_deeper_and_deeper_and_deeper" });
	table_add(&table, (const char *[]){ "                                              "
					    "deepest_of_all_functions" });
	table.terminal.width = 12;
	writes(&table, TABLE_TEXT,
	       "function\na\n|| deeper_and_deeper_and_deeper_and_d...\n"
	       "|||||||||||||||||||| deepest_of_all_f...\n",
	       "levels are closer where names would have no room, and end in the middle");
	table_fini(&table);
}

static void wrapped_tables(void)
{
	static const struct table_column columns[] = { { "check" },
						       { "finding", COLUMN_GIVES | COLUMN_WRAPS },
						       { "status", COLUMN_STYLED } };
	struct table table;

	table_init(&table, "rows", columns, 3);
	table_add_looking(&table,
			  (const char *[]){ "one", "none that matters much to anybody", "fine" },
			  (struct table_look){ .style = STYLE_GOOD });
	table_add(&table, (const char *[]){ "two", NULL, "bad" });
	writes(&table, TABLE_TEXT,
	       "check  finding                            status\n"
	       "one    none that matters much to anybody  fine\n"
	       "two                                       bad\n",
	       "text that wraps is in one line of a file");
	table.terminal = (struct terminal){ .width = 28, .has_color = true };
	writes(&table, TABLE_TEXT,
	       "\033[1mcheck\033[0m  \033[1mfinding\033[0m        \033[1mstatus\033[0m\n"
	       "one    none that      \033[32mfine\033[0m\n"
	       "       matters much   \n"
	       "       to anybody     \n"
	       "two                   bad\n",
	       "and goes on in the next line of a terminal");
	table_fini(&table);
}

static void texts(void)
{
	cell(TABLE_TEXT, "a\x1b[31mb\n\x7f", "a\\x1b[31mb\\x0a\\x7f",
	     "text: a name cannot steer the terminal");
	cell(TABLE_CSV, "a,b", "\"a,b\"", "csv: a comma");
	cell(TABLE_CSV, "say \"hi\"", "\"say \"\"hi\"\"\"", "csv: quotes");
	cell(TABLE_CSV, "a\r\nb", "\"a\r\nb\"", "csv: an end of line");
	cell(TABLE_CSV, "a\rb", "\"a\rb\"", "csv: half of one");
	cell(TABLE_CSV, "a\nb", "\"a\nb\"", "csv: the other half");
	cell(TABLE_CSV, " plain; 'text' ", " plain; 'text' ", "csv: nothing to quote");
}

static void json_strings(void)
{
	cell(TABLE_JSON, "a\"b\\c/", "\"a\\\"b\\\\c/\"", "json: quotes and backslashes");
	cell(TABLE_JSON, "\x01\t\n\x1f\x7f", "\"\\u0001\\u0009\\u000a\\u001f\\u007f\"",
	     "json: control characters");
	cell(TABLE_JSON, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf",
	     "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xf4\x8f\xbf\xbf\"", "json: UTF-8 as it is");
	cell(TABLE_JSON, "\x80\xff", "\"\\ufffd\\ufffd\"", "json: bytes that begin nothing");
	cell(TABLE_JSON, "\xc0\xaf\xe0\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"",
	     "json: forms that are too long");
	cell(TABLE_JSON, "\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\"", "json: surrogates");
	cell(TABLE_JSON, "\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\"",
	     "json: above U+10FFFF");
	cell(TABLE_JSON, "\xe2\x82", "\"\\ufffd\\ufffd\"", "json: a character that is cut off");
	cell(TABLE_JSON, "\xf0\x9f\x98", "\"\\ufffd\\ufffd\\ufffd\"", "json: a longer one");
}

/* Names of functions, in text, in programs' formats, and if the user wants them whole. */
static void function_names(void)
{
	static const struct table_column columns[] = { { "function", COLUMN_FUNCTION },
						       { "object" } };
	static const char name[] = "f(std::vector<A, std::allocator<A> >&)";
	const char *const cells[] = { name, name };
	const char *const none[] = { NULL, "x" };
	struct table table;

	table_init(&table, "t", columns, 2);
	table_add(&table, cells);
	table_add(&table, none);
	table.terminal.long_names = true;
	writes(&table, TABLE_TEXT,
	       "function                                object\n"
	       "f(std::vector<A, std::allocator<A> >&)  f(std::vector<A, std::allocator<A> >&)\n"
	       "                                        x\n",
	       "text: names are whole on request");
	writes(&table, TABLE_CSV,
	       "function,object\n\"f(std::vector<A, std::allocator<A> >&)\","
	       "\"f(std::vector<A, std::allocator<A> >&)\"\n,x\n",
	       "csv: names are whole");
	table.terminal.long_names = false;
	writes(&table, TABLE_TEXT,
	       "function            object\n"
	       "f(std::vector<A>&)  f(std::vector<A, std::allocator<A> >&)\n"
	       "                    x\n",
	       "text: names of functions are short");
	table_fini(&table);
}

static void format_names(void)
{
	enum table_format format;

	ok(table_format_parse("json", &format) && format == TABLE_JSON, "json is a format");
	ok(!table_format_parse("JSON", &format) && !table_format_parse("", &format),
	   "others are none");
}

int main(void)
{
	whole_tables();
	flat_tables();
	kinds_of_meta();
	several_tables();
	narrow_tables();
	dropped_columns();
	terminals();
	deep_trees();
	wrapped_tables();
	texts();
	json_strings();
	function_names();
	format_names();
	return tap_done();
}
