/* SPDX-License-Identifier: MIT
 *
 * spec_file.c - SPECs that may be in a file. Only for tools: the target receives each SPEC
 * separately.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/spec.h"

/* Adds a line as one SPEC, even if it has commas. Ignores blanks around it and lines that begin
 * with #. */
static int add_line(struct spec_list *list, char *line, struct err *err)
{
	size_t length;

	line += strspn(line, " \t\r\n");
	length = strlen(line);
	while (length && strchr(" \t\r\n", line[length - 1]))
		length--;
	line[length] = '\0';
	return length == 0 || *line == '#' ? 0 : spec_list_add_one(list, line, err);
}

static int add_file(struct spec_list *list, const char *path, struct err *err)
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	if (!file)
		return err_set(err, errno, "cannot open the list of specs '%s': %s", path,
			       strerror(errno));
	errno = 0;
	while (!status && getline(&line, &room, file) >= 0)
		status = add_line(list, line, err);
	if (!status && !feof(file))
		status = err_set(err, errno, "cannot read the list of specs '%s': %s", path,
				 strerror(errno));
	free(line);
	fclose(file);
	return status;
}

int spec_list_add(struct spec_list *list, const char *text, struct err *err)
{
	return *text == '@' ? add_file(list, text + 1, err) : spec_list_add_each(list, text, err);
}
