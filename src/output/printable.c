/* SPDX-License-Identifier: MIT */
#include "output/printable.h"

#include <stdbool.h>
#include <string.h>

static const char cut[] = "...";

#define CUT_WIDTH (sizeof(cut) - 1)

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

static bool continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t width_of(char c)
{
	return is_control(c) ? 4 : !continues(c);
}

size_t printable_width_bytes(const char *text, size_t bytes)
{
	size_t width = 0;

	for (size_t i = 0; i < bytes; i++)
		width += width_of(text[i]);
	return width;
}

size_t printable_width(const char *text)
{
	return printable_width_bytes(text, strlen(text));
}

void printable_write_bytes(const char *text, size_t bytes, FILE *out)
{
	for (size_t i = 0; i < bytes; i++) {
		if (is_control(text[i]))
			fprintf(out, "\\x%02x", (unsigned)text[i]);
		else
			putc(text[i], out);
	}
}

void printable_write(const char *text, FILE *out)
{
	printable_write_bytes(text, strlen(text), out);
}

/* How many bytes from the start are not wider than that. */
static size_t bytes_from_start(const char *text, size_t width)
{
	size_t bytes = 0, taken = 0;

	while (text[bytes] && taken + width_of(text[bytes]) <= width)
		taken += width_of(text[bytes++]);
	return bytes;
}

/* The same of so many bytes, to their end; no character is parted. */
static size_t bytes_to_end(const char *text, size_t length, size_t width)
{
	size_t bytes = 0, whole = 0, taken = 0;

	while (bytes < length && taken + width_of(text[length - 1 - bytes]) <= width) {
		char c = text[length - 1 - bytes++];

		taken += width_of(c);
		if (!continues(c))
			whole = bytes;
	}
	return whole;
}

/* How many bytes of a C++ name are before its parameters; all, if it has none. */
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

/* Where the last part of a C++ name begins, "::name"; its end, if there is only one. */
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

/* How wide the end of a text is, of which so many bytes are left, that says more than its middle:
 * of a path, the name of the file; of a C++ name, the function. */
static size_t width_of_end(const char *text, size_t stem, size_t room)
{
	size_t last, most = room * 2 / 3;

	if (is_path(text))
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
	end = bytes_to_end(text, stem, end);
	printable_write_bytes(text, start, out);
	fputs(cut, out);
	printable_write_bytes(text + stem - end, end, out);
	return printable_width_bytes(text, start) + CUT_WIDTH +
	       printable_width_bytes(text + stem - end, end);
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
	return fits ? fits : bytes_from_start(text, 4);
}
