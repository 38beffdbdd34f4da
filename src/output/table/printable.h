/* SPDX-License-Identifier: MIT
 *
 * printable.h - any bytes as text in columns of a terminal. Names of functions, files and threads
 * are foreign bytes: what a terminal would obey, and what is no UTF-8, is shown as \xNN, byte by
 * byte, and takes four columns. Every other character takes one.
 */
#ifndef DWELL_OUTPUT_TABLE_PRINTABLE_H
#define DWELL_OUTPUT_TABLE_PRINTABLE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

size_t printable_width(const char *text);
void printable_write(const char *text, FILE *out);

/* Of the first so many bytes. */
size_t printable_width_bytes(const char *text, size_t bytes);
void printable_write_bytes(const char *text, size_t bytes, FILE *out);

/* As printf(), of whose result the same holds, but for the ends of lines. */
__attribute__((format(printf, 2, 3))) void printable_print(FILE *out, const char *format, ...);
__attribute__((format(printf, 2, 0))) void printable_vprint(FILE *out, const char *format,
							    va_list args);

/* A text that is wider than the limit, of at least 3 columns, with "..." for what is left out: the
 * end; of a path, its middle; of a C++ name its parameters, and then its middle. Answers how wide
 * that is. */
size_t printable_write_cut(const char *text, size_t limit, FILE *out);

/* The same if it is wider, else all of it. */
void printable_write_within(const char *text, size_t limit, FILE *out);

/* How many bytes of the text fit into a line, to the last blank if there is one, else as many as
 * there is room for, and one character at least. */
size_t printable_line_bytes(const char *text, size_t limit);

#endif
