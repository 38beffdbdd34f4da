/* SPDX-License-Identifier: MIT */
#include "fleet/sql.h"

#include <stdlib.h>
#include <string.h>

#include "../random64.h"
#include "tap.h"

static bool fills(const char *statement, struct sql_part part, const char *expected)
{
	char *filled = sql_fill(statement, &part, 1);
	bool holds = filled && strcmp(filled, expected) == 0;

	if (!holds)
		note("got: %s", filled ? filled : "nothing");
	free(filled);
	return holds;
}

static void test_parts(void)
{
	const char *statement = "SELECT /*{by*/host/*}*/ WHERE /*{where*/1/*}*/ AND 2";

	ok(fills(statement, (struct sql_part){ "", "" }, "SELECT host WHERE 1 AND 2"),
	   "without parts, the defaults stand");
	ok(fills(statement, (struct sql_part){ "by", "rank" }, "SELECT rank WHERE 1 AND 2"),
	   "a part replaces its default");
	ok(fills("/*{a*/1/*}*/,/*{a*/2/*}*/", (struct sql_part){ "a", "x" }, "x,x"),
	   "a part replaces all places of its name");
	ok(fills("/*{a*/1/*}*/", (struct sql_part){ "a", "/*{a*/2/*}*/" }, "/*{a*/2/*}*/"),
	   "marks in a part mean nothing");
}

/* Returns the literal at text as the server reads it, and where it ends; NULL: it does not. */
static const char *read_literal(const char *text, char *out)
{
	if (*text++ != '\'')
		return NULL;
	for (; *text && *text != '\''; text++) {
		if (*text == '\\')
			text++;
		*out++ = *text;
	}
	*out = '\0';
	return *text == '\'' ? text + 1 : NULL;
}

static void test_literals(void)
{
	static const char alphabet[] = "'\\\"\n;-/*{}0n";
	uint64_t state = 1;
	bool all = true;

	for (int round = 0; round < 20000 && all; round++) {
		char text[24], read[48], *literal;
		size_t length = random64_below(&state, sizeof(text) - 1);
		const char *end;

		for (size_t i = 0; i < length; i++)
			text[i] = alphabet[random64_below(&state, sizeof(alphabet) - 1)];
		text[length] = '\0';
		literal = sql_text(text);
		end = literal ? read_literal(literal, read) : NULL;
		all = end && !*end && strcmp(read, text) == 0;
		if (!all)
			note("'%s' becomes %s", text, literal);
		free(literal);
	}
	ok(all, "any text is one literal, which ends where it ends, and is read as the text");
}

static void test_statements(void)
{
	ok(sql_first("a;\nb;\n") == 1 && sql_first("a ; b") == 5 && sql_first("a;") == 1,
	   "statements are separated by a semicolon at the end of a line");
	ok(strstr(sql_schema, "samples_local") && !strstr(sql_schema, "--"),
	   "the files of sql/ are there, without their comments");
}

int main(void)
{
	test_parts();
	test_literals();
	test_statements();
	return tap_done();
}
