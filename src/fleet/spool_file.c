/* SPDX-License-Identifier: MIT */
#include "spool_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "dwell message 1"

/* Larger files than this are none of ours. */
#define SIZE_MAX_BYTES ((off_t)1 << 31)

void spool_message_free(struct spool_message *message)
{
	free(message->title);
	free(message->url);
	free(message->body);
	*message = (struct spool_message){ 0 };
}
int spool_file_sync(const char *folder)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int status = fd < 0 || fsync(fd) ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return status;
}

/* Writes a text in one line: a name may contain anything. */
static void write_line(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, out);
	fputc('\n', out);
}

static bool write_message(const struct spool_message *message, FILE *out)
{
	fputs(FIRST_LINE "\n", out);
	write_line(message->id, out);
	write_line(message->title, out);
	write_line(message->url, out);
	fprintf(out, "%zu\n\n", message->size);
	fwrite(message->body, 1, message->size, out);
	return fflush(out) == 0 && !ferror(out) && fsync(fileno(out)) == 0;
}

int spool_file_write(const char *folder, const char *name, const struct spool_message *message,
		     struct err *err)
{
	char *path = NULL, *temporary = NULL;
	FILE *out = NULL;
	bool written = false;
	int fd = -1, code = 0;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		path = NULL;
	/* Names that begin with a dot are not listed. */
	if (path && asprintf(&temporary, "%s/.%s.XXXXXX", folder, name) < 0)
		temporary = NULL;
	if (temporary)
		fd = mkostemp(temporary, O_CLOEXEC);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (out)
		written = write_message(message, out) && rename(temporary, path) == 0;
	if (!written)
		code = errno ? errno : EIO;
	if (out)
		fclose(out);
	else if (fd >= 0)
		close(fd);
	if (!written && fd >= 0)
		unlink(temporary);
	if (written)
		code = -spool_file_sync(folder);
	if (code)
		err_set(err, code, "cannot write '%s/%s': %s", folder, name, strerror(code));
	free(path);
	free(temporary);
	return -code;
}

/* Takes a line of the head. Returns false if there is none. */
static bool take_line(const char **at, const char *end, char **line)
{
	const char *stop = memchr(*at, '\n', (size_t)(end - *at));

	*line = stop && !memchr(*at, '\0', (size_t)(stop - *at))
			? strndup(*at, (size_t)(stop - *at))
			: NULL;
	if (*line)
		*at = stop + 1;
	return *line;
}

bool spool_is_id(const char *text)
{
	return strspn(text, "0123456789abcdef") == SPOOL_ID_TEXT - 1;
}

/* Checks the head's lines: first, number, name, URL, size. */
static bool take_head(struct spool_message *message, char *const lines[5], size_t left)
{
	char size[24];

	if (strcmp(lines[0], FIRST_LINE) != 0 || !spool_is_id(lines[1]) ||
	    strlen(lines[1]) != SPOOL_ID_TEXT - 1 || !*lines[3])
		return false;
	snprintf(size, sizeof(size), "%zu", left);
	if (strcmp(lines[4], size) != 0)
		return false;
	for (const char *at = lines[3]; *at; at++)
		if (!isgraph((unsigned char)*at))
			return false;
	memcpy(message->id, lines[1], SPOOL_ID_TEXT);
	return true;
}

int spool_file_parse(struct spool_message *message, const char *bytes, size_t size,
		     const char *path, struct err *err)
{
	const char *at = bytes, *end = bytes + size;
	char *lines[5] = { 0 };
	size_t count = 0;
	bool is_valid;

	*message = (struct spool_message){ 0 };
	while (count < 5 && take_line(&at, end, &lines[count]))
		count++;
	is_valid = count == 5 && at < end && *at == '\n' &&
		   take_head(message, lines, (size_t)(end - at - 1));
	if (is_valid) {
		message->title = lines[2];
		message->url = lines[3];
		lines[2] = lines[3] = NULL;
		message->size = (size_t)(end - at - 1);
		message->body = malloc(message->size + 1);
		if (message->body)
			memcpy(message->body, at + 1, message->size);
	}
	for (size_t i = 0; i < 5; i++)
		free(lines[i]);
	if (!is_valid)
		return err_set(err, EINVAL, "'%s' is not a message that dwell has kept", path);
	if (message->body)
		return 0;
	spool_message_free(message);
	return err_no_memory(err);
}

/* Reads a whole file. Returns NULL and sets errno if that fails. */
static char *read_all(const char *path, size_t *size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat info;
	char *bytes = NULL;
	ssize_t got = 0;

	*size = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &info) == 0) {
		errno = EFBIG;
		if (S_ISREG(info.st_mode) && info.st_size < SIZE_MAX_BYTES)
			bytes = malloc((size_t)info.st_size + 1);
	}
	while (bytes && *size < (size_t)info.st_size &&
	       (got = read(fd, bytes + *size, (size_t)info.st_size - *size)) > 0)
		*size += (size_t)got;
	if (bytes && got < 0) {
		free(bytes);
		bytes = NULL;
	}
	close(fd);
	return bytes;
}

int spool_file_read(struct spool_message *message, const char *path, struct err *err)
{
	size_t size;
	char *bytes = read_all(path, &size);
	int code = errno, status;

	if (!bytes)
		return err_set(err, code, "cannot read '%s': %s", path, strerror(code));
	status = spool_file_parse(message, bytes, size, path, err);
	free(bytes);
	return status;
}
