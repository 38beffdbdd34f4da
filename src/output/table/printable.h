/* SPDX-License-Identifier: MIT
 *
 * printable.h - shows any bytes as text in columns of a terminal. Names of functions, files and
 * threads are foreign bytes: control sequences and invalid UTF-8 are shown as \xNN, byte by byte,
 * in four columns. Every other character takes one.
 */
#ifndef DWELL_OUTPUT_TABLE_PRINTABLE_H
#define DWELL_OUTPUT_TABLE_PRINTABLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

size_t printable_width(const char *text);
void printable_write(const char *text, FILE *out);

/* For the first `bytes` bytes. */
size_t printable_width_bytes(const char *text, size_t bytes);
void printable_write_bytes(const char *text, size_t bytes, FILE *out);

/* As printf(), with the result made printable except for line ends. */
__attribute__((format(printf, 2, 3))) void printable_print(FILE *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void printable_vprint(FILE *out, const char *format,
							    va_list args);

/* Writes a text that is wider than the limit, of at least 3 columns, with "..." for the omitted
 * part: the end; of a path, its middle; of a C++ name its parameters, and then its middle. Returns
 * the width. */
size_t printable_write_cut(const char *text, size_t limit, FILE *out);

/* Writes the text, cut if it is wider than the limit. */
void printable_write_within(const char *text, size_t limit, FILE *out);

/* Returns the bytes of the text that fit into a line, up to the last blank if there is one, else as
 * many as fit, and one character at least. */
size_t printable_line_bytes(const char *text, size_t limit);

#endif
