/* SPDX-License-Identifier: MIT */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *format, ...)
{
	static const char cut[] = "...";
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(err->text, sizeof(err->text), format, args);
	va_end(args);
	if (length >= (int)sizeof(err->text))
		memcpy(err->text + sizeof(err->text) - sizeof(cut), cut, sizeof(cut));
	return -code;
}

int err_no_memory(struct err *err)
{
	return err_set(err, ENOMEM, "out of memory");
}
