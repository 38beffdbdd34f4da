/* SPDX-License-Identifier: MIT
 *
 * images.h - maps the ELF files that targets have mapped, since a walk reads their call frame
 * information. Each is opened once, for all processes.
 */
#ifndef DWELL_ATTACH_IMAGES_H
#define DWELL_ATTACH_IMAGES_H

#include <link.h>
#include <sys/types.h>

#include "base/hash.h"
#include "symbol/build_id.h"

struct target_image {
	const char *bytes; /* the whole file; NULL: it could not be opened, or is not ELF */
	size_t size;
	const ElfW(Phdr) * headers;
	size_t header_count;
	struct build_id id;
	/* .eh_frame, by its address in the file, without a header that leads to it, as in static
	 * programs
	 */
	uintptr_t frames;
	size_t frames_bytes;
};

/* Starts as all zeroes. */
struct images {
	struct target_image **images;
	size_t count;
	struct hash by_file; /* path and inode -> index */
};

/* A mapping of a process. */
struct images_wanted {
	pid_t pid; /* 0: no process any more; then the file is that of the path, whatever its inode
		    */
	uint64_t start, end;
	uint64_t inode;
	const char *path; /* "[vdso]" is supported as well */
};

/* Returns an image that stays until images_free(). NULL: no memory. */
const struct target_image *images_get(struct images *images, const struct images_wanted *wanted);
void images_free(struct images *images);

/* Computes the offset to add to addresses in the file if `offset` of it is mapped at `start`.
 * False: no segment maps that part of the file. */
bool image_bias(const struct target_image *image, uint64_t start, uint64_t offset, uintptr_t *bias);

#endif
