/* SPDX-License-Identifier: MIT */
#include "printable.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static const char cut[] = "...";

#define CUT_WIDTH    (sizeof(cut) - 1)
#define ESCAPE_WIDTH 4 /* of \xNN */

/* Returns whether a UTF-8 character reverses the direction of text, which makes a line read as
 * something else, or ends it: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool turns(const char *text)
{
	unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
	unsigned char third = first == 0xe2 ? (unsigned char)text[2] : 0;

	if (second == 0x80)
		return third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae);
	return second == 0x81 && third >= 0xa6 && third <= 0xa9;
}

/* Returns the bytes of the character at the text that is shown as it is; 0: none is. */
static size_t character_bytes(const char *text, size_t left)
{
	unsigned char first = (unsigned char)*text;
	size_t bytes = utf8_bytes(text);

	if (bytes < 2)
		return first >= 0x20 && first < 0x7f;
	return bytes > left || utf8_is_control(text) || turns(text) ? 0 : bytes;
}

/* The first or last unit of a text that is shown as a whole. */
struct piece {
	size_t bytes;
	size_t width;
	bool is_plain; /* otherwise a byte, as \xNN */
};

static struct piece first_piece(const char *text, size_t left)
{
	size_t bytes = character_bytes(text, left);

	return bytes ? (struct piece){ bytes, 1, true } : (struct piece){ 1, ESCAPE_WIDTH, false };
}

static struct piece last_piece(const char *text, size_t length)
{
	for (size_t bytes = length < 4 ? length : 4; bytes > 1; bytes--)
		if (character_bytes(text + length - bytes, bytes) == bytes)
			return (struct piece){ bytes, 1, true };
	return first_piece(text + length - 1, 1);
}

size_t printable_width_bytes(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes;) {
		struct piece piece = first_piece(text + i, bytes - i);

		width += piece.width;
		i += piece.bytes;
	}
	return width;
}

size_t printable_width(const char *text)
{
	return printable_width_bytes(text, strlen(text));
}

void printable_write_bytes(const char *text, size_t bytes, FILE *out)
{
	for (size_t i = 0; i < bytes;) {
		struct piece piece = first_piece(text + i, bytes - i);

		if (piece.is_plain)
			fwrite(text + i, 1, piece.bytes, out);
		else
			fprintf(out, "\\x%02x", (unsigned)(unsigned char)text[i]);
		i += piece.bytes;
	}
}

void printable_write(const char *text, FILE *out)
{
	printable_write_bytes(text, strlen(text), out);
}

void printable_print(FILE *out, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	printable_vprint(out, format, args);
	va_end(args);
}

void printable_vprint(FILE *out, const char *format, va_list args)
{
	char *text, *rest, *line;

	if (vasprintf(&text, format, args) < 0)
		return;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		printable_write(line, out);
		if (rest)
			putc('\n', out);
	}
	free(text);
}

/* Returns the bytes from the start that fit into the width. */
static size_t bytes_from_start(const char *text, size_t width)
{
	size_t bytes = 0, taken = 0, length = strlen(text);

	while (bytes < length) {
		struct piece piece = first_piece(text + bytes, length - bytes);

		if (taken + piece.width > width)
			break;
		taken += piece.width;
		bytes += piece.bytes;
	}
	return bytes;
}

/* Returns the bytes before the end that fit into the width. */
static size_t bytes_to_end(const char *text, size_t length, size_t width)
{
	size_t bytes = 0, taken = 0;

	while (bytes < length) {
		struct piece piece = last_piece(text, length - bytes);

		if (taken + piece.width > width)
			break;
		taken += piece.width;
		bytes += piece.bytes;
	}
	return bytes;
}

/* Returns the bytes of a C++ name before its parameters, or all of it. */
static size_t bytes_of_stem(const char *text)
{
	const char *at = strrchr(text, ')');
	size_t depth = 0;

	/* "(anonymous namespace)::name" */
	if (!at || strstr(at, "::"))
		return strlen(text);
	for (; at > text; at--) {
		depth += *at == ')';
		if (*at == '(' && --depth == 0)
			return (size_t)(at - text);
	}
	return strlen(text);
}

/* Returns where the last part of a C++ name begins, "::name", or its end if there is only one. */
static size_t start_of_last(const char *text, size_t stem)
{
	size_t depth = 0;

	for (size_t at = stem; at-- > 1;) {
		depth += text[at] == '>';
		depth -= text[at] == '<' && depth;
		if (!depth && text[at] == ':' && text[at - 1] == ':')
			return at - 1;
	}
	return stem;
}

static bool is_path(const char *text)
{
	return *text == '/' && !strchr(text, ' ');
}

/* Returns true for "file.c:12". */
static bool is_line(const char *text)
{
	const char *colon = strrchr(text, ':');

	return colon && colon > text && colon[-1] != ':' && colon[1] &&
	       strspn(colon + 1, "0123456789") == strlen(colon + 1);
}

/* Returns the width of the end of a text that says more than its middle: the file name of a path,
 * the number of a line, or the function of a C++ name. */
static size_t width_of_end(const char *text, size_t stem, size_t room)
{
	size_t last, most = room * 2 / 3;

	if (is_path(text) || is_line(text))
		return most;
	last = start_of_last(text, stem);
	last = printable_width_bytes(text + last, stem - last);
	return last < most ? last : most;
}

size_t printable_write_cut(const char *text, size_t limit, FILE *out)
{
	static const char parameters[] = "(...)";
	size_t stem = strstr(text, "::") ? bytes_of_stem(text) : strlen(text);
	size_t room = limit - CUT_WIDTH, start, end;

	if (text[stem] && printable_width_bytes(text, stem) + strlen(parameters) <= limit) {
		printable_write_bytes(text, stem, out);
		fputs(parameters, out);
		return printable_width_bytes(text, stem) + strlen(parameters);
	}
	end = width_of_end(text, stem, room);
	start = bytes_from_start(text, room - end);
	/* A short form ends in dots there already: "Book<..." */
	while (start && text[start - 1] == '.')
		start--;
	end = bytes_to_end(text, stem, end);
	printable_write_bytes(text, start, out);
	fputs(cut, out);
	printable_write_bytes(text + stem - end, end, out);
	return printable_width_bytes(text, start) + CUT_WIDTH +
	       printable_width_bytes(text + stem - end, end);
}

void printable_write_within(const char *text, size_t limit, FILE *out)
{
	if (printable_width(text) > limit)
		printable_write_cut(text, limit, out);
	else
		printable_write(text, out);
}

size_t printable_line_bytes(const char *text, size_t limit)
{
	size_t fits = bytes_from_start(text, limit), blank = fits;

	if (!text[fits])
		return fits;
	while (blank && text[blank] != ' ')
		blank--;
	if (blank)
		return blank;
	return fits ? fits : bytes_from_start(text, ESCAPE_WIDTH);
}
