/* SPDX-License-Identifier: MIT */
#include "cli/output_file.h"

#include <fcntl.h>
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

/* A file as the user's umask wants it, which mkstemp() knows nothing of. */
static int permit(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return fchmod(fd, 0666 & ~mask);
}

/* A file beside the one that is wanted; links are followed, so that they stay. */
static int open_temporary(struct output_file *file, struct err *err)
{
	char *real = realpath(file->path, NULL);
	int fd;

	if (asprintf(&file->temporary, "%s.XXXXXX", real ? real : file->path) < 0)
		file->temporary = NULL;
	free(real);
	if (!file->temporary)
		return err_no_memory(err);
	fd = mkstemp(file->temporary);
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

int output_file_open(struct output_file *file, const char *path, struct err *err)
{
	struct stat there;

	*file = (struct output_file){ .out = stdout };
	if (!path || strcmp(path, "-") == 0)
		return 0;
	*file = (struct output_file){ .path = path };
	if (stat(path, &there) || S_ISREG(there.st_mode))
		return open_temporary(file, err);
	file->out = fopen(path, "w");
	return file->out ? 0 : cannot_write(file, errno, err);
}

/* Where the file that was written last belongs. */
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
