/* SPDX-License-Identifier: MIT
 *
 * test_pause.c - the bit that pauses a recording, and files that have none.
 */
#include "recording/make/pause.h"

#include <errno.h>
#include <fcntl.h>

#include "../../recording.h"

static uint32_t flags_of(int fd)
{
	struct record_header header;

	return pread(fd, &header, offsetof(struct record_header, end), 0) > 0 ? header.flags : 0;
}

int main(void)
{
	struct recording recording = recording_new(RECORD_NO_STACKS);
	int fd = open(recording_file(&recording, recording.size), O_RDWR | O_CLOEXEC), other;

	ok(pause_get(fd) == 0, "a recording is not paused");
	ok(pause_set(fd, true) == 0 && pause_get(fd) == 1, "it can be");
	ok(flags_of(fd) == (RECORD_NO_STACKS | RECORD_PAUSED), "other flags stay as they are");
	ok(pause_set(fd, true) == 0 && pause_get(fd) == 1, "twice is once");
	ok(pause_toggle(fd) == 0 && pause_get(fd) == 0, "and continues");
	ok(pause_toggle(fd) == 0 && pause_get(fd) == 1 && pause_set(fd, false) == 0 &&
		   flags_of(fd) == RECORD_NO_STACKS,
	   "both ways");
	if (ftruncate(fd, 4))
		bail_out("the file cannot be cut");
	ok(pause_get(fd) == -ENODATA && pause_set(fd, true) == -ENODATA,
	   "one that was cut has none");
	other = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(fd);
	ok(pause_get(fd) == -EBADF && pause_toggle(other) < 0,
	   "nor has a file that cannot be read");
	close(other);
	recording_free(&recording);
	return tap_done();
}
