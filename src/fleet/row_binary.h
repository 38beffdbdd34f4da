/* SPDX-License-Identifier: MIT
 *
 * row_binary.h - rows in ClickHouse's format RowBinary: numbers of fixed width, the lowest byte
 * first, and texts and arrays behind their lengths. No byte has a special meaning, so nothing is
 * escaped.
 */
#ifndef DWELL_FLEET_ROW_BINARY_H
#define DWELL_FLEET_ROW_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

void row_binary_put(uint64_t number, size_t bytes, FILE *out);
void row_binary_put_length(uint64_t length, FILE *out);
void row_binary_put_text(const char *text, FILE *out);
void row_binary_put_bytes(const void *bytes, size_t size, FILE *out);

/* Foreign bytes being read. Invariant: at <= end; once something did not fit, is_short
 * is set, and every further number is 0 and every text empty. */
struct row_binary {
	const unsigned char *at, *end;
	bool is_short;
};

static inline struct row_binary row_binary_of(const void *bytes, size_t size)
{
	const unsigned char *at = bytes;

	return (struct row_binary){ at, at + size, false };
}

/* Returns a number of at most 8 bytes. */
uint64_t row_binary_take(struct row_binary *rows, size_t bytes);

/* Returns the length of a text or an array. */
uint64_t row_binary_take_length(struct row_binary *rows);

/* Goes on behind so many bytes. */
void row_binary_skip(struct row_binary *rows, uint64_t bytes);

/* Returns the bytes behind their length, which point into the input. */
const char *row_binary_take_bytes(struct row_binary *rows, size_t *size);

/* Returns a copy of a text, up to a '\0' that it contains; free with free(). NULL: no memory. */
char *row_binary_take_text(struct row_binary *rows);

#endif
