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

/* The same to the end; no character is parted. */
static size_t bytes_to_end(const char *text, size_t width)
{
	size_t length = strlen(text), bytes = 0, whole = 0, taken = 0;

	while (bytes < length && taken + width_of(text[length - 1 - bytes]) <= width) {
		char c = text[length - 1 - bytes++];

		taken += width_of(c);
		if (!continues(c))
			whole = bytes;
	}
	return whole;
}

/* How much of the room is for the end of a text: of a path, the name of the file; of a C++ name,
 * the function. */
static size_t room_of_end(const char *text, size_t room)
{
	if (*text == '/' && !strchr(text, ' '))
		return room * 2 / 3;
	return strstr(text, "::") ? room / 2 : 0;
}

void printable_write_cut(const char *text, size_t limit, FILE *out)
{
	size_t room = limit - CUT_WIDTH, tail = room_of_end(text, room);

	printable_write_bytes(text, bytes_from_start(text, room - tail), out);
	fputs(cut, out);
	if (tail)
		printable_write(text + strlen(text) - bytes_to_end(text, tail), out);
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
