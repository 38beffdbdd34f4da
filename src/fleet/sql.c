/* SPDX-License-Identifier: MIT */
#include "sql.h"

#include <stdlib.h>
#include <string.h>

/* Marks around a default. */
#define OPENS     "/*{"
#define NAME_ENDS "*/"
#define CLOSES    "/*}*/"

static const struct sql_part *find(const struct sql_part *parts, size_t count, const char *name,
				   size_t length)
{
	for (size_t i = 0; i < count; i++)
		if (strlen(parts[i].name) == length && memcmp(parts[i].name, name, length) == 0)
			return &parts[i];
	return NULL;
}

/* Writes the place at an opening mark, and returns the text behind it; NULL: its marks are wrong.
 */
static const char *write_place(const char *at, const struct sql_part *parts, size_t count,
			       FILE *out)
{
	const char *name = at + strlen(OPENS), *usual = strstr(name, NAME_ENDS);
	const char *end = usual ? strstr(usual, CLOSES) : NULL;
	const struct sql_part *part;

	if (!end)
		return NULL;
	part = find(parts, count, name, (size_t)(usual - name));
	usual += strlen(NAME_ENDS);
	if (part)
		fputs(part->text, out);
	else
		fwrite(usual, 1, (size_t)(end - usual), out);
	return end + strlen(CLOSES);
}

char *sql_fill(const char *statement, const struct sql_part *parts, size_t count)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const char *mark;

	if (!out)
		return NULL;
	while (statement && (mark = strstr(statement, OPENS))) {
		fwrite(statement, 1, (size_t)(mark - statement), out);
		statement = write_place(mark, parts, count, out);
	}
	if (statement)
		fputs(statement, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Any byte but these two stands for itself in a literal. */
void sql_write_text(const char *text, FILE *out)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putc('\\', out);
		putc(*text, out);
	}
	putc('\'', out);
}

char *sql_text(const char *text)
{
	char *literal = NULL;
	size_t size;
	FILE *out = open_memstream(&literal, &size);

	if (!out)
		return NULL;
	sql_write_text(text, out);
	if (fclose(out)) {
		free(literal);
		return NULL;
	}
	return literal;
}

size_t sql_first(const char *statements)
{
	const char *end = strstr(statements, ";\n");
	size_t length = end ? (size_t)(end - statements) : strlen(statements);

	return length && statements[length - 1] == ';' ? length - 1 : length;
}
