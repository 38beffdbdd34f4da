/* SPDX-License-Identifier: MIT */
#include "finish.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dumps.h"
#include "kernel_names.h"
#include "pack.h"
#include "recording/read/kallsyms.h"

/* ---- other writers ---- */

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Maps the recording as a target would; NULL: failed. */
static void *map_as_others(const struct creation *creation)
{
	int fd = open(creation->path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	struct stat ours, there;
	void *page = MAP_FAILED;

	if (fd < 0)
		return NULL;
	if (fstat(creation->fd, &ours) == 0 && fstat(fd, &there) == 0 && is_same(&ours, &there))
		page = mmap(NULL, sizeof(struct record_header), PROT_READ | PROT_WRITE, MAP_SHARED,
			    fd, 0);
	close(fd);
	return page == MAP_FAILED ? NULL : page;
}

/* Tests that a mapping counts. A filesystem on top of another one may have passed it on to that. */
static bool sees_mappings(const struct creation *creation)
{
	void *page = map_as_others(creation);
	bool refused;

	if (!page)
		return false;
	refused = fcntl(creation->fd, F_SETLEASE, F_WRLCK) && errno == EAGAIN;
	munmap(page, sizeof(struct record_header));
	return refused;
}

static bool is_lease_held(const struct creation *creation)
{
	return fcntl(creation->fd, F_GETLEASE) == F_WRLCK;
}

/* Takes a lease, which succeeds only if no other process has it open or mapped. */
static bool take_lease(const struct creation *creation)
{
	return sees_mappings(creation) && fcntl(creation->fd, F_SETLEASE, F_WRLCK) == 0;
}

/* ---- the new file ---- */

/* Returns true if packing is worthwhile and permitted. A damaged or truncated recording is kept as
 * evidence. */
static bool is_to_be_packed(const struct reader *reader, const struct stat *file)
{
	uint64_t size = (uint64_t)file->st_size, packed = pack_bytes(reader);
	struct rlimit limit;

	return !reader->damaged && !reader->missing && packed < size - size / 8 &&
	       getrlimit(RLIMIT_FSIZE, &limit) == 0 && packed <= limit.rlim_cur;
}

/* Checks that the new file has the old one's owner, and gives it the old one's permissions. */
static bool takes_after(int fd, const struct stat *old)
{
	struct stat file;

	return fstat(fd, &file) == 0 && file.st_uid == old->st_uid && file.st_gid == old->st_gid &&
	       fchmod(fd, old->st_mode & 07777) == 0;
}

static bool is_still_at(const struct creation *creation, const struct stat *old)
{
	struct stat there;

	return lstat(creation->path, &there) == 0 && is_same(&there, old) && there.st_nlink == 1;
}

static bool write_new(const struct creation *creation, const struct reader *reader, int fd,
		      const struct stat *old)
{
	struct err err;

	return flock(fd, LOCK_EX | LOCK_NB) == 0 && takes_after(fd, old) &&
	       !pack_write(reader, NULL, fd, creation->path, &err);
}

/* Returns true if it was replaced. */
static bool replace(struct creation *creation, enum finish_writers writers,
		    const struct reader *reader, const struct stat *old, char *temporary)
{
	int fd = mkostemp(temporary, O_CLOEXEC | O_NOFOLLOW);
	bool done;

	if (fd < 0)
		return false;
	done = write_new(creation, reader, fd, old) &&
	       (writers == FINISH_US || is_lease_held(creation)) && is_still_at(creation, old) &&
	       rename(temporary, creation->path) == 0;
	if (done)
		/* The creation continues with the new file and its lock; the lease ends with the
		 * old one. */
		dup3(fd, creation->fd, O_CLOEXEC);
	else
		unlink(temporary);
	close(fd);
	return done;
}

/* Packs the recording. Signals that would end us are blocked meanwhile, lest a stray file
 * remain. */
static void pack(struct creation *creation, enum finish_writers writers, struct reader *reader)
{
	struct stat old;
	sigset_t all, before;
	char *temporary;

	if (fstat(creation->fd, &old) || !is_to_be_packed(reader, &old) ||
	    asprintf(&temporary, "%s.XXXXXX", creation->path) < 0)
		return;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	if (replace(creation, writers, reader, &old, temporary))
		reader->bytes = pack_bytes(reader);
	sigprocmask(SIG_SETMASK, &before, NULL);
	free(temporary);
}

/* ---- lost recordings ---- */

static int lost(const struct creation *creation, int code, const char *how, struct err *err)
{
	return err_set(err, code, "the recording is lost: '%s' was %s while it was being written",
		       creation->path, how);
}

static bool is_at_its_path(const struct creation *creation)
{
	struct stat file, there;

	return fstat(creation->fd, &file) == 0 && lstat(creation->path, &there) == 0 &&
	       is_same(&file, &there);
}

/* Reads it. No other process writes to the file, so if it is invalid, it was changed behind our
 * back. */
static int read_whole(struct creation *creation, struct reader *reader, struct err *err)
{
	int status;

	if (!is_at_its_path(creation))
		return lost(creation, ESTALE, "deleted, moved or replaced", err);
	status = reader_read(reader, creation->fd, creation->path, err);
	return status == -EINVAL ? lost(creation, ENODATA, "truncated or overwritten", err)
				 : status;
}

bool finish_is_torn(const struct reader *reader)
{
	uint32_t code = reader->header.scarcity.code;

	return code == ENODATA || (reader->missing && !code);
}

/* Adds the names that only this machine knows, now. Returns true if there are any. */
static bool add_names(const struct creation *creation, const struct reader *reader)
{
	bool has_made = dumps_import(creation, reader) > 0;

	return kernel_names_import(creation, reader, KALLSYMS_PATH) > 0 || has_made;
}

int finish_read(struct creation *creation, enum finish_writers writers, struct reader *reader,
		struct err *err)
{
	struct sigaction ignored = { .sa_handler = SIG_IGN }, before;
	bool is_alone;
	int status;

	/* Sent to the holder of a lease when another process waits for it. */
	sigaction(SIGIO, &ignored, &before);
	is_alone = writers == FINISH_US || take_lease(creation);
	status = read_whole(creation, reader, err);
	if (!status && add_names(creation, reader)) {
		reader_close(reader);
		status = read_whole(creation, reader, err);
	}
	if (!status && is_alone)
		pack(creation, writers, reader);
	fcntl(creation->fd, F_SETLEASE, F_UNLCK);
	sigaction(SIGIO, &before, NULL);
	return status;
}
