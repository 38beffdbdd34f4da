/* SPDX-License-Identifier: MIT
 *
 * test_pieces_folder.c - names of pieces, which of them are removed, and live recordings that were
 * left.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/pieces_folder.h"
#include "tap.h"

#define BYTES 100

static char folder[] = "pieces.XXXXXX";

static void make(const char *name)
{
	int here = open(folder, O_RDONLY | O_DIRECTORY);
	int fd = openat(here, name, O_CREAT | O_WRONLY, 0600);

	if (fd < 0 || ftruncate(fd, BYTES))
		bail_out("there is no room for a file");
	close(fd);
	close(here);
}

static bool exists(const char *name)
{
	struct stat file;
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return lstat(path, &file) == 0;
}

static void remove_all(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			unlinkat(dirfd(dir), entry->d_name, 0);
	closedir(dir);
}

static void options(void)
{
	static const char *const invalid[] = {
		"", "0", "-1", "K", "1T", "1KB", " 1", "99999999999"
	};
	struct pieces_keep keep;

	ok(pieces_keep_parse(&keep, "12") && keep.count == 12 && !keep.bytes, "a number of pieces");
	ok(pieces_keep_parse(&keep, "2G") && !keep.count && keep.bytes == UINT64_C(2) << 30,
	   "a size");
	ok(pieces_keep_parse(&keep, "3K") && keep.bytes == 3 << 10, "a small size");
	for (size_t i = 0; i < sizeof(invalid) / sizeof(invalid[0]); i++)
		ok(!pieces_keep_parse(&keep, invalid[i]), "'%s' is neither", invalid[i]);
}

static void names(void)
{
	char *path = pieces_path("x", UINT64_C(1794851112345678901), 42);

	ok(path && strcmp(path, "x/20261116T174512.345Z-42.dwell") == 0,
	   "a piece is named by its time");
	free(path);
}

static void old(void)
{
	static const char *const names[] = { "20260101T000000.000Z-7.dwell",
					     "20260101T000000.001Z-6.dwell",
					     "20260102T000000.000Z-5.dwell" };
	static const char *const others[] = { "20250101T000000.000Z-7.dwell.abcdef", "notes",
					      "20250101T000000.000Z-.dwell", "live.7",
					      "x20250101T000000.000Z-7.dwell" };
	struct pieces_keep keep = { .count = 2 };
	struct err err;
	bool are_there = true;

	for (size_t i = 0; i < 3; i++)
		make(names[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		make(others[i]);
	ok(pieces_folder_tidy(folder, &keep, &err) == 0 && !exists(names[0]) && exists(names[1]) &&
		   exists(names[2]),
	   "the oldest piece is removed");
	keep = (struct pieces_keep){ .bytes = BYTES + BYTES / 2 };
	ok(pieces_folder_tidy(folder, &keep, &err) == 0 && !exists(names[1]) && exists(names[2]),
	   "pieces beyond a size are removed");
	keep.bytes = 1;
	ok(pieces_folder_tidy(folder, &keep, &err) == 0 && exists(names[2]), "one is kept");
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		are_there = are_there && exists(others[i]);
	ok(are_there, "other files stay");
	ok(pieces_folder_tidy("no/where", &keep, &err) == -ENOENT, "a folder that is gone");
	remove_all();
}

static void left(void)
{
	char path[512], *found;
	int fd;

	ok(!pieces_folder_left(folder), "nothing is left in an empty folder");
	make("live.7");
	snprintf(path, sizeof(path), "%s/live.7", folder);
	fd = open(path, O_RDWR);
	flock(fd, LOCK_EX);
	ok(!pieces_folder_left(folder), "a recording in progress is locked");
	close(fd);
	found = pieces_folder_left(folder);
	ok(found && strcmp(found, path) == 0, "one that was left is not");
	free(found);
	remove_all();
}

int main(void)
{
	if (!mkdtemp(folder))
		bail_out("there is no folder");
	options();
	names();
	old();
	left();
	rmdir(folder);
	return tap_done();
}
