/* SPDX-License-Identifier: MIT */
#include "ledger.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"

static int cannot(const char *what, const char *path, int code, struct err *err)
{
	return err_set(err, code, "cannot %s '%s': %s", what, path, strerror(code));
}

static int keep_id(struct ledger *ledger, const char *id, struct err *err)
{
	char(*more)[SPOOL_ID_TEXT] = vec_room(ledger->ids, ledger->count, sizeof(*more));
	uint64_t key = hash_bytes(0, id, SPOOL_ID_TEXT - 1);
	uint32_t *place;

	if (!more)
		return err_no_memory(err);
	ledger->ids = more;
	memcpy(ledger->ids[ledger->count], id, SPOOL_ID_TEXT - 1);
	ledger->ids[ledger->count][SPOOL_ID_TEXT - 1] = '\0';
	do
		place = hash_place(&ledger->by_id, key++);
	while (place && *place != HASH_NONE);
	if (!place)
		return err_no_memory(err);
	*place = (uint32_t)ledger->count++;
	return 0;
}

/* Reads all lines. One that is cut, as by a full disk, is ignored. */
static int read_lines(struct ledger *ledger, FILE *file, struct err *err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int status = 0;

	while (!status && (length = getline(&line, &room, file)) > 0)
		if (line[length - 1] == '\n' && spool_is_id(line))
			status = keep_id(ledger, line, err);
	free(line);
	return status;
}

/* Copies the lines behind the first so many. Returns 0 or -errno. */
static int copy_rest(FILE *from, size_t skipped, FILE *to)
{
	char *line = NULL;
	size_t room = 0, count = 0;
	ssize_t length;

	while ((length = getline(&line, &room, from)) > 0)
		if (line[length - 1] == '\n' && spool_is_id(line) && count++ >= skipped)
			fwrite(line, 1, (size_t)length, to);
	free(line);
	return fflush(to) || ferror(to) || fsync(fileno(to)) ? -EIO : 0;
}

/* Counts the lines of a file. */
static size_t count_lines(FILE *file)
{
	size_t count = 0;
	int byte;

	while ((byte = getc(file)) != EOF)
		count += byte == '\n';
	rewind(file);
	return count;
}

/* Writes the newer half of the lines to another file, which takes the place of this one. */
static int halve(struct ledger *ledger, FILE *file, struct err *err)
{
	char *temporary = NULL;
	size_t dropped = count_lines(file) / 2;
	FILE *out;
	int status;

	if (asprintf(&temporary, "%s.new", ledger->path) < 0)
		return err_no_memory(err);
	out = fopen(temporary, "we");
	status = out ? copy_rest(file, dropped, out) : -errno;
	if (out)
		fclose(out);
	if (!status && rename(temporary, ledger->path))
		status = -errno;
	if (status)
		cannot("write", temporary, -status, err);
	else
		ledger->forgotten = dropped;
	free(temporary);
	return status;
}

static int read_file(struct ledger *ledger, uint64_t bytes_max, struct err *err)
{
	FILE *file = fopen(ledger->path, "re");
	struct stat info;
	int status = 0;

	if (!file)
		return errno == ENOENT ? 0 : cannot("read", ledger->path, errno, err);
	if (bytes_max && fstat(fileno(file), &info) == 0 && (uint64_t)info.st_size > bytes_max) {
		status = halve(ledger, file, err);
		fclose(file);
		file = status ? NULL : fopen(ledger->path, "re");
	}
	if (!status)
		status = file ? read_lines(ledger, file, err)
			      : cannot("read", ledger->path, errno, err);
	if (file)
		fclose(file);
	return status;
}

int ledger_open(struct ledger *ledger, const char *folder, uint64_t bytes_max, struct err *err)
{
	int status;

	*ledger = (struct ledger){ 0 };
	if (asprintf(&ledger->path, "%s/ledger", folder) < 0) {
		ledger->path = NULL;
		return err_no_memory(err);
	}
	status = read_file(ledger, bytes_max, err);
	if (status)
		ledger_close(ledger);
	return status;
}

void ledger_close(struct ledger *ledger)
{
	free(ledger->path);
	free(ledger->ids);
	hash_free(&ledger->by_id);
	*ledger = (struct ledger){ 0 };
}

bool ledger_has(const struct ledger *ledger, const char *id)
{
	uint64_t key = hash_bytes(0, id, SPOOL_ID_TEXT - 1);
	uint32_t *place;

	while ((place = hash_find(&ledger->by_id, key++)))
		if (strcmp(ledger->ids[*place], id) == 0)
			return true;
	return false;
}

/* Appends a line by one call, and waits until it is on the disk. A cut line before it is ended. */
static int append(int fd, const char *id, const char *outcome)
{
	off_t end = lseek(fd, 0, SEEK_END);
	char line[128], last = '\n';
	int length;

	if (end > 0 && pread(fd, &last, 1, end - 1) != 1)
		return -EIO;
	length = snprintf(line, sizeof(line), "%s%s %lld %s\n", last == '\n' ? "" : "\n", id,
			  (long long)time(NULL), outcome);
	if (write(fd, line, (size_t)length) != length)
		return errno ? -errno : -EIO;
	return fsync(fd) ? -errno : 0;
}

int ledger_add(struct ledger *ledger, const char *id, const char *outcome, struct err *err)
{
	int fd = open(ledger->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	int status;

	errno = fd < 0 ? errno : 0;
	status = fd < 0 ? -errno : append(fd, id, outcome);
	if (fd >= 0)
		close(fd);
	if (status)
		return cannot("write", ledger->path, -status, err);
	return keep_id(ledger, id, err);
}
