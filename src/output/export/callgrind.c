/* SPDX-License-Identifier: MIT */
#include "callgrind.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool callgrind_init(struct callgrind *callgrind, size_t functions, FILE *out)
{
	*callgrind =
		(struct callgrind){ .out = out,
				    .written = calloc(functions + 1, sizeof(*callgrind->written)) };
	return callgrind->written;
}

void callgrind_fini(struct callgrind *callgrind)
{
	string_table_free(&callgrind->objects);
	string_table_free(&callgrind->files);
	free(callgrind->written);
}

/* Writes a name without line ends, which would end the line. */
static void write_text(const char *text, size_t size, FILE *out)
{
	for (size_t i = 0; i < size && text[i]; i++)
		putc((unsigned char)text[i] < ' ' ? ' ' : text[i], out);
}

/* Writes "KEY=(NUMBER) NAME", with the name only if it is new. */
static void write_name(const struct callgrind *callgrind, const char *key, uint32_t number,
		       const char *name)
{
	fprintf(callgrind->out, "%s=(%" PRIu32 ")", key, number + 1);
	if (name) {
		putc(' ', callgrind->out);
		write_text(name, SIZE_MAX, callgrind->out);
	}
	putc('\n', callgrind->out);
}

static void write_from(struct callgrind *callgrind, struct string_table *table, const char *key,
		       const char *name)
{
	size_t before = table->count;
	uint32_t number = string_table_number(table, name);

	write_name(callgrind, key, number, table->count > before ? name : NULL);
}

static void write_function(struct callgrind *callgrind, const char *key,
			   const struct callgrind_function *function)
{
	bool *written = &callgrind->written[function->number];

	write_name(callgrind, key, function->number, *written ? NULL : function->name);
	*written = true;
}

void callgrind_head(const struct callgrind *callgrind, const struct reader *reader,
		    const char *events)
{
	const struct record_header *header = &reader->header;
	const char *command = header->command;
	size_t size = header->command_size < sizeof(header->command) ? header->command_size
								     : sizeof(header->command);

	fputs("# callgrind format\nversion: 1\ncreator: dwell\ncmd:", callgrind->out);
	for (size_t at = 0; at < size && command[at]; at += strnlen(command + at, size - at) + 1) {
		putc(' ', callgrind->out);
		write_text(command + at, size - at, callgrind->out);
	}
	fprintf(callgrind->out, "\npositions: line\nevents: %s\n", events);
}

void callgrind_begin(struct callgrind *callgrind, const struct callgrind_function *function)
{
	putc('\n', callgrind->out);
	write_from(callgrind, &callgrind->objects, "ob", function->object);
	write_from(callgrind, &callgrind->files, "fl", function->file);
	write_function(callgrind, "fn", function);
}

void callgrind_call(struct callgrind *callgrind, const struct callgrind_function *callee,
		    uint64_t count)
{
	write_from(callgrind, &callgrind->objects, "cob", callee->object);
	write_from(callgrind, &callgrind->files, "cfi", callee->file);
	write_function(callgrind, "cfn", callee);
	fprintf(callgrind->out, "calls=%" PRIu64 " 0\n", count);
}

void callgrind_file(struct callgrind *callgrind, const char *file)
{
	write_from(callgrind, &callgrind->files, "fi", file);
}
