/* SPDX-License-Identifier: MIT */
#include "pieces_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_SECOND UINT64_C(1000000000)

bool pieces_keep_parse(struct pieces_keep *keep, const char *value)
{
	static const char units[] = "KMG";
	const char *unit;
	char *end;
	unsigned long long number = strtoull(value, &end, 10);

	*keep = (struct pieces_keep){ 0 };
	if (!isdigit((unsigned char)*value) || !number || number > UINT32_MAX)
		return false;
	if (!*end) {
		keep->count = number;
		return true;
	}
	unit = strchr(units, *end);
	if (!unit || end[1])
		return false;
	keep->bytes = (uint64_t)number << (10 * (unit - units + 1));
	return true;
}

/* ---- names ---- */

/* A letter for each character of a name, up to the PID: 0 is a digit. */
static const char pattern[] = "00000000T000000.000Z-";

char *pieces_path(const char *folder, uint64_t unix_ns, long pid)
{
	time_t seconds = (time_t)(unix_ns / NS_PER_SECOND);
	char text[64], *path;
	struct tm tm;

	gmtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y%m%dT%H%M%S", &tm);
	if (asprintf(&path, "%s/%s.%03uZ-%ld" PIECES_SUFFIX, folder, text,
		     (unsigned)(unix_ns / 1000000 % 1000), pid) < 0)
		return NULL;
	return path;
}

static bool is_piece(const char *name)
{
	size_t i;

	for (i = 0; pattern[i]; i++)
		if (pattern[i] == '0' ? !isdigit((unsigned char)name[i]) : name[i] != pattern[i])
			return false;
	if (!isdigit((unsigned char)name[i]))
		return false;
	while (isdigit((unsigned char)name[i]))
		i++;
	return strcmp(name + i, PIECES_SUFFIX) == 0;
}

static int choose_piece(const struct dirent *entry)
{
	return is_piece(entry->d_name);
}

static int choose_live(const struct dirent *entry)
{
	return strncmp(entry->d_name, PIECES_LIVE, strlen(PIECES_LIVE)) == 0;
}

/* The names begin with the time, so the newest come first. */
static int newest_first(const struct dirent **left, const struct dirent **right)
{
	return strcmp((*right)->d_name, (*left)->d_name);
}

static void free_list(struct dirent **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
}

/* ---- old pieces ---- */

int pieces_folder_tidy(const char *folder, const struct pieces_keep *keep, struct err *err)
{
	struct dirent **list;
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int count = fd < 0 ? -1 : scandirat(fd, ".", &list, choose_piece, newest_first);
	uint64_t bytes = 0;
	int status = 0;

	if (count < 0)
		status = err_set(err, errno, "cannot read '%s': %s", folder, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct stat file;

		if (fstatat(fd, list[i]->d_name, &file, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(file.st_mode))
			continue;
		bytes += (uint64_t)file.st_size;
		if ((!keep->count || (uint64_t)i < keep->count) &&
		    (!keep->bytes || bytes <= keep->bytes || i == 0))
			continue;
		if (unlinkat(fd, list[i]->d_name, 0) && errno != ENOENT)
			status = err_set(err, errno, "cannot remove '%s/%s': %s", folder,
					 list[i]->d_name, strerror(errno));
	}
	if (count >= 0)
		free_list(list, count);
	if (fd >= 0)
		close(fd);
	return status;
}

/* ---- live recordings ---- */

/* Returns true if no dwell writes to it: it would hold its lock. */
static bool is_left(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	bool is_free = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return is_free;
}

char *pieces_folder_left(const char *folder)
{
	struct dirent **list;
	int count = scandir(folder, &list, choose_live, alphasort);
	char *found = NULL, *path;

	for (int i = 0; i < count && !found; i++) {
		if (asprintf(&path, "%s/%s", folder, list[i]->d_name) < 0)
			continue;
		if (is_left(path))
			found = path;
		else
			free(path);
	}
	if (count >= 0)
		free_list(list, count);
	return found;
}
