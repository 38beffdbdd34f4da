/* SPDX-License-Identifier: MIT */
#include "capture/calls/demangler.h"

#include <libiberty/demangle.h>
#include <string.h>

#define NAME_MAX_BYTES 32768

/* What libiberty has said so far. */
struct buffer {
	size_t length;
	bool too_long;
	char text[NAME_MAX_BYTES];
};

static void append(const char *part, size_t length, void *context)
{
	struct buffer *buffer = context;

	if (length >= sizeof(buffer->text) - buffer->length) {
		buffer->too_long = true;
		return;
	}
	memcpy(buffer->text + buffer->length, part, length);
	buffer->length += length;
	buffer->text[buffer->length] = '\0';
}

/* By the functions of libiberty that allocate nothing; for D there are none. */
static const char *demangle(struct buffer *buffer, const char *symbol, int options)
{
	buffer->length = 0;
	buffer->too_long = false;
	if (!rust_demangle_callback(symbol, options, append, buffer)) {
		buffer->length = 0;
		if (!cplus_demangle_v3_callback(symbol, options, append, buffer))
			return NULL;
	}
	return buffer->too_long ? NULL : buffer->text;
}

bool demangler_read(struct demangled *names, const char *symbol)
{
	static struct buffer full, plain;

	/* All of them begin like that, and most symbols do not. */
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return false;
	names->full = demangle(&full, symbol, DMGL_PARAMS | DMGL_ANSI);
	names->plain = demangle(&plain, symbol, DMGL_ANSI);
	return names->full;
}
