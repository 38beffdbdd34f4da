/* SPDX-License-Identifier: MIT */
#include "cli/report/output_file.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"

#define ANOTHER 65534

/* Returns whether a file begins with that. */
static bool has(const char *path, const char *words)
{
	char bytes[64] = "";
	int fd = open(path, O_RDONLY);
	ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes) - 1);

	if (fd >= 0)
		close(fd);
	return size >= 0 && strcmp(bytes, words) == 0;
}

static void put(const char *path, const char *words)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(words, file) < 0 || fclose(file))
		bail_out("a file cannot be written");
}

static int write_new(const char *path, struct err *err)
{
	struct output_file file;
	int status = output_file_open(&file, path, err);

	if (status)
		return status;
	fputs("new", file.out);
	return output_file_finish(&file, err);
}

static mode_t mode_of(const char *path)
{
	struct stat stat;

	return lstat(path, &stat) ? 0 : stat.st_mode;
}

static void files(void)
{
	struct output_file file;
	struct err err;

	umask(027);
	ok(!write_new("plain", &err) && has("plain", "new") && (mode_of("plain") & 0777) == 0640,
	   "a file as the umask wants it");
	put("plain", "old");
	ok(!output_file_open(&file, "plain", &err) && fputs("half", file.out) >= 0 &&
		   has("plain", "old"),
	   "an existing file stays until all is written");
	output_file_drop(&file);
	ok(has("plain", "old"), "or for good");
	ok(!write_new("plain", &err) && has("plain", "new"), "and is replaced then");
	ok(write_new("none/plain", &err) && strstr(err.text, "cannot write 'none"),
	   "a folder that is not there");
	ok(!write_new("/dev/null", &err) && S_ISCHR(mode_of("/dev/null")), "a device stays one");
	ok(write_new("/dev/full", &err) && strstr(err.text, "cannot write '/dev/full'"),
	   "one that is full says so");
}

static void links(void)
{
	struct err err;

	put("far", "old");
	if (symlink("far", "near"))
		bail_out("a link cannot be made");
	ok(!write_new("near", &err) && has("far", "new") && S_ISLNK(mode_of("near")),
	   "a link is followed, and stays");
}

static void refuses(const char *path, const char *what)
{
	struct err err;

	ok(write_new(path, &err) == -EACCES && strstr(err.text, "another user"), "%s", what);
}

/* In a folder like /tmp. */
static void shared(void)
{
	struct err err;

	if (mkdir("shared", 0700) || chmod("shared", 01777))
		bail_out("a folder cannot be made");
	put("precious", "old");
	put("shared/own", "old");
	ok(!write_new("shared/own", &err) && has("shared/own", "new"),
	   "where all may write, what is our own is replaced");
	if (symlink("../precious", "shared/link") || mkfifo("shared/pipe", 0666))
		bail_out("a link cannot be made");
	put("shared/file", "old");
	if (lchown("shared/link", ANOTHER, ANOTHER) || chown("shared/pipe", ANOTHER, ANOTHER) ||
	    chown("shared/file", ANOTHER, ANOTHER)) {
		skip("a file of another user", "it takes root to leave it");
		return;
	}
	refuses("shared/link", "another user's link is not followed");
	refuses("shared/pipe", "nor is his pipe waited for");
	refuses("shared/file", "nor his file replaced");
	ok(has("precious", "old") && has("shared/file", "old"), "all are as they were");
	chmod("shared", 0755);
	ok(!write_new("shared/link", &err) && has("precious", "new"),
	   "where only we may write, we have put it there ourselves");
}

int main(void)
{
	char folder[] = "/tmp/output_file.XXXXXX", command[64];

	if (!mkdtemp(folder) || chdir(folder))
		bail_out("a folder cannot be made");
	files();
	links();
	shared();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (chdir("/") || system(command))
		note("%s is left", folder);
	return tap_done();
}
