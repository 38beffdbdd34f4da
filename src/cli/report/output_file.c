/* SPDX-License-Identifier: MIT */
#include "output_file.h"

#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const struct output_file *file, int code, struct err *err)
{
	return err_set(err, code, "cannot write '%s': %s", file->path ? file->path : "stdout",
		       strerror(code));
}

/* Gives the file the mode that the user's umask asks for; mkstemp() does not. */
static int permit(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

/* Opens a file beside the wanted one. Links are followed, so that they stay. */
static int open_temporary(struct output_file *file, struct err *err)
{
	char *real = realpath(file->path, NULL);
	int fd;

	if (asprintf(&file->temporary, "%s.XXXXXX", real ? real : file->path) < 0)
		file->temporary = NULL;
	free(real);
	if (!file->temporary)
		return err_no_memory(err);
	fd = mkostemp(file->temporary, O_CLOEXEC);
	if (fd >= 0 && permit(fd) == 0)
		file->out = fdopen(fd, "w");
	if (file->out)
		return 0;
	cannot_write(file, errno, err);
	if (fd >= 0) {
		close(fd);
		unlink(file->temporary);
	}
	free(file->temporary);
	return -EIO;
}

/* Returns whether another user has left something of that name in a world-writable directory such
 * as /tmp: a link, to have us write elsewhere, or a file or pipe, to read what we write. The kernel
 * can be told to refuse these (fs.protected_symlinks and the like), but only when it follows a link
 * itself, and here the link is resolved in user space. */
static bool is_planted(const char *path)
{
	struct stat there, folder;
	char *copy = lstat(path, &there) == 0 && there.st_uid != geteuid() ? strdup(path) : NULL;
	bool is = copy && stat(dirname(copy), &folder) == 0 && folder.st_mode & S_ISVTX &&
		  folder.st_mode & S_IWOTH && there.st_uid != folder.st_uid;

	free(copy);
	return is;
}

int output_file_open(struct output_file *file, const char *path, struct err *err)
{
	struct stat there;

	*file = (struct output_file){ .out = stdout };
	if (!path || strcmp(path, "-") == 0)
		return 0;
	*file = (struct output_file){ .path = path };
	if (is_planted(path))
		return err_set(err, EACCES,
			       "cannot write '%s': it belongs to another user, in a directory that "
			       "all may write to",
			       path);
	if (stat(path, &there) || S_ISREG(there.st_mode))
		return open_temporary(file, err);
	file->out = fopen(path, "we");
	return file->out ? 0 : cannot_write(file, errno, err);
}

/* Moves the finished file into place. */
static int rename_it(const struct output_file *file)
{
	char *real = realpath(file->path, NULL);
	int status = rename(file->temporary, real ? real : file->path);

	free(real);
	return status;
}

int output_file_finish(struct output_file *file, struct err *err)
{
	bool failed = fflush(file->out) || ferror(file->out);
	int status = 0;

	if (!failed && file->temporary)
		failed = rename_it(file);
	if (failed)
		status = cannot_write(file, errno ? errno : EIO, err);
	if (failed && file->temporary)
		unlink(file->temporary);
	if (file->path)
		fclose(file->out);
	free(file->temporary);
	return status;
}

void output_file_drop(struct output_file *file)
{
	if (file->temporary)
		unlink(file->temporary);
	if (file->path)
		fclose(file->out);
	free(file->temporary);
}
