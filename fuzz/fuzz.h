/* SPDX-License-Identifier: MIT
 *
 * fuzz.h - shared parts of the targets. Each target is one .c file: libFuzzer calls it with generated
 * bytes, and the sanitizers report errors.
 */
#ifndef DWELL_FUZZ_FUZZ_H
#define DWELL_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Called once, and for each input. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A file in memory that inputs are written to, and its path. */
struct fuzz_file {
	int fd;
	char path[64];
};

static inline void fuzz_need(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	exit(1);
}

static inline struct fuzz_file fuzz_file_new(void)
{
	struct fuzz_file file = { .fd = memfd_create("fuzz", MFD_CLOEXEC) };

	fuzz_need(file.fd >= 0, "there are no files in memory here");
	snprintf(file.path, sizeof(file.path), "/proc/self/fd/%d", file.fd);
	return file;
}

static inline void fuzz_file_write(const struct fuzz_file *file, const void *bytes, size_t size,
				   uint64_t offset)
{
	fuzz_need(pwrite(file->fd, bytes, size, (off_t)offset) == (ssize_t)size,
		  "a file in memory cannot be written");
}

static inline void fuzz_file_cut(const struct fuzz_file *file, uint64_t size)
{
	fuzz_need(ftruncate(file->fd, (off_t)size) == 0, "a file in memory cannot be cut");
}

#endif
