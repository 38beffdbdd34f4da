/* SPDX-License-Identifier: MIT */
#include "row_binary.h"

#include <string.h>

/* Seven bits of a length are in each byte; no length has more of them. */
#define LENGTH_BITS 63

void row_binary_put(uint64_t number, size_t bytes, FILE *out)
{
	for (size_t i = 0; i < bytes; i++)
		putc_unlocked((int)(number >> 8 * i & 0xff), out);
}

void row_binary_put_length(uint64_t length, FILE *out)
{
	for (; length >= 0x80; length >>= 7)
		putc_unlocked((int)(length & 0x7f) | 0x80, out);
	putc_unlocked((int)length, out);
}

void row_binary_put_bytes(const void *bytes, size_t size, FILE *out)
{
	row_binary_put_length(size, out);
	fwrite(bytes, 1, size, out);
}

void row_binary_put_text(const char *text, FILE *out)
{
	row_binary_put_bytes(text, strlen(text), out);
}

static bool has(struct row_binary *rows, uint64_t bytes)
{
	if (rows->is_short || bytes > (uint64_t)(rows->end - rows->at)) {
		rows->is_short = true;
		rows->at = rows->end;
		return false;
	}
	return true;
}

uint64_t row_binary_take(struct row_binary *rows, size_t bytes)
{
	uint64_t number = 0;

	if (!has(rows, bytes))
		return 0;
	for (size_t i = 0; i < bytes; i++)
		number |= (uint64_t)rows->at[i] << 8 * i;
	rows->at += bytes;
	return number;
}

void row_binary_skip(struct row_binary *rows, uint64_t bytes)
{
	if (has(rows, bytes))
		rows->at += bytes;
}

uint64_t row_binary_take_length(struct row_binary *rows)
{
	uint64_t length = 0;
	unsigned shift = 0;
	uint64_t byte;

	do {
		byte = row_binary_take(rows, 1);
		length |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && shift < LENGTH_BITS);
	if (byte & 0x80)
		rows->is_short = true;
	return length;
}

const char *row_binary_take_bytes(struct row_binary *rows, size_t *size)
{
	uint64_t length = row_binary_take_length(rows);
	const unsigned char *bytes;

	*size = 0;
	if (!has(rows, length))
		return "";
	bytes = rows->at;
	rows->at += length;
	*size = (size_t)length;
	return (const char *)bytes;
}

char *row_binary_take_text(struct row_binary *rows)
{
	size_t size;
	const char *bytes = row_binary_take_bytes(rows, &size);

	return strndup(bytes, size);
}
