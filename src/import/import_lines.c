/* SPDX-License-Identifier: MIT */
#include "import_lines.h"

#include <string.h>

struct import_lines import_lines_of(const struct import_bytes *file)
{
	return (struct import_lines){ .file = file, .next = file->bytes };
}

char *import_lines_next(struct import_lines *lines)
{
	char *line = lines->next, *end;

	if (!line || !*line)
		return NULL;
	end = line + strcspn(line, "\n");
	lines->next = *end ? end + 1 : end;
	lines->number++;
	*end = '\0';
	if (end > line && end[-1] == '\r')
		end[-1] = '\0';
	return line;
}

int import_lines_bad(const struct import_lines *lines, const char *how, struct err *err)
{
	return err_set(err, EINVAL, "'%s': line %zu %s", lines->file->path, lines->number, how);
}

int import_lines_check(const struct import_lines *lines, struct err *err)
{
	if (lines->next == lines->file->bytes + lines->file->size)
		return 0;
	return import_damaged(lines->file, "it contains a NUL byte", err);
}
