/* SPDX-License-Identifier: MIT */
#include "source_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"
#include "symbol/regular_file.h"

/* No source is that long. */
#define LARGEST (64 << 20)

int source_folders_add(struct source_folders *folders, const char *folder)
{
	const char **more = vec_room(folders->list, folders->count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	folders->list = more;
	folders->list[folders->count++] = folder;
	return 0;
}

static int read_bytes(struct source_text *text, int fd, size_t *size)
{
	struct stat stat;
	ssize_t got;

	if (fstat(fd, &stat) || stat.st_size > LARGEST)
		return -ENOENT;
	text->bytes = malloc((size_t)stat.st_size + 1);
	if (!text->bytes)
		return -ENOMEM;
	for (*size = 0; *size < (size_t)stat.st_size; *size += (size_t)got) {
		got = read(fd, text->bytes + *size, (size_t)stat.st_size - *size);
		if (got < 0)
			return -ENOENT;
		if (got == 0)
			break;
	}
	text->bytes[*size] = '\0';
	return 0;
}

static int add_line(struct source_text *text, char *line)
{
	char **more = vec_room(text->lines, text->count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	text->lines = more;
	text->lines[text->count++] = line;
	return 0;
}

static int split(struct source_text *text, size_t size)
{
	char *line = text->bytes, *end = text->bytes + size, *newline;
	int status = 0;

	for (; line < end && !status; line = newline + 1) {
		newline = memchr(line, '\n', (size_t)(end - line));
		newline = newline ? newline : end;
		*newline = '\0';
		if (newline > line && newline[-1] == '\r')
			newline[-1] = '\0';
		status = add_line(text, line);
	}
	return status;
}

/* Tries a path, which may be NULL for want of memory; takes ownership of it. */
static int try(struct source_text *text, char *path)
{
	int fd = path ? regular_file_open(path) : -ENOMEM, status = path ? -ENOENT : -ENOMEM;
	size_t size;

	if (fd < 0) {
		free(path);
		return status;
	}
	*text = (struct source_text){ .path = path };
	status = read_bytes(text, fd, &size);
	close(fd);
	if (!status)
		status = split(text, size);
	if (status)
		source_text_close(text);
	return status;
}

/* Returns true if ".." is a component. */
static bool goes_up(const char *path)
{
	for (; *path; path += strcspn(path, "/")) {
		path += strspn(path, "/");
		if (strncmp(path, "..", 2) == 0 && (path[2] == '/' || !path[2]))
			return true;
	}
	return false;
}

/* Tries the longest end of the path first, so that the right one of two files of the same name is
 * found. Ignores paths that lead out of the folder. */
static int try_below(struct source_text *text, const char *path, const char *folder)
{
	int status = -ENOENT;

	for (; *path && status == -ENOENT; path += strcspn(path, "/")) {
		char *whole;

		path += strspn(path, "/");
		if (goes_up(path))
			continue;
		if (asprintf(&whole, "%s/%s", folder, path) < 0)
			return -ENOMEM;
		status = try(text, whole);
	}
	return status;
}

int source_text_open(struct source_text *text, const char *path,
		     const struct source_folders *folders)
{
	int status = -ENOENT;

	*text = (struct source_text){ 0 };
	for (size_t i = 0; i < folders->count && status == -ENOENT; i++)
		status = try_below(text, path, folders->list[i]);
	return status == -ENOENT && !folders->nowhere_else ? try(text, strdup(path)) : status;
}

void source_text_close(struct source_text *text)
{
	free(text->path);
	free(text->bytes);
	free(text->lines);
	*text = (struct source_text){ 0 };
}

int source_text_switch(struct source_text *text, const char *path,
		       const struct source_folders *folders)
{
	int status = 0;

	if (path == text->asked)
		return 0;
	source_text_close(text);
	if (path)
		status = source_text_open(text, path, folders);
	text->asked = path;
	return status == -ENOMEM ? status : 0;
}

const char *source_text_line(const struct source_text *text, uint32_t number)
{
	return number && number <= text->count ? text->lines[number - 1] : NULL;
}
