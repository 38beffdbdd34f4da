/* SPDX-License-Identifier: MIT */
#include "demangler.h"

#include <string.h>

#include "demangler_backend.h"

#define NAME_MAX_BYTES 32768

/* The output so far. */
struct buffer {
	size_t length;
	bool too_long;
	char text[NAME_MAX_BYTES];
};

static void append(const char *part, size_t length, void *context)
{
	struct buffer *buffer = context;

	if (!part) {
		buffer->length = 0;
		return;
	}
	if (length >= sizeof(buffer->text) - buffer->length) {
		buffer->too_long = true;
		return;
	}
	memcpy(buffer->text + buffer->length, part, length);
	buffer->length += length;
	buffer->text[buffer->length] = '\0';
}

static const char *demangle(struct buffer *buffer, const char *symbol, bool with_parameters)
{
	buffer->length = 0;
	buffer->too_long = false;
	if (!demangler_backend(symbol, with_parameters, append, buffer))
		return NULL;
	return buffer->too_long ? NULL : buffer->text;
}

bool demangler_read(struct demangled *names, const char *symbol)
{
	static struct buffer full, plain;

	/* All mangled names begin like that, and most symbols do not. */
	if (symbol[0] != '_' || (symbol[1] != 'Z' && symbol[1] != 'R'))
		return false;
	names->full = demangle(&full, symbol, true);
	names->plain = demangle(&plain, symbol, false);
	return names->full;
}
