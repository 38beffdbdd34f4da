/* SPDX-License-Identifier: MIT
 *
 * test_room_sandbox.c - space in the recording of a process that has forbidden itself to get more.
 */
#include <errno.h>
#include <sys/wait.h>

#include "../../apart.h"
#include "recording/write/room.h"
#include "sys.h"
#include "../../runtime/calls/wrapped.h"

static bool nothing_passes(long nr, const long arguments[6], long *answer)
{
	(void)nr;
	(void)arguments;
	*answer = -EPERM;
	return true;
}

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static void restrict_all(uint32_t kind)
{
	room_sandboxed(kind);
	sys_filter = nothing_passes;
}

/* Counts segments of one grain until there are no more. */
static int take_all(uint64_t *lowest, uint64_t *highest)
{
	uint64_t offset;
	int count = 0;

	for (; room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset); count++) {
		if (!count || offset < *lowest)
			*lowest = offset;
		if (!count || offset > *highest)
			*highest = offset;
	}
	return count;
}

static void unprepared(void)
{
	uint64_t offset;

	begin();
	restrict_all(RECORD_SANDBOX_LANDLOCK);
	ok(!room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset),
	   "space that was not reserved is not there");
	ok(room_header()->unreached.sandbox == (RECORD_SANDBOX_LANDLOCK | RECORD_SANDBOX_ROOM) &&
		   room_header()->scarcity.code == 0,
	   "and the header says what by, and not that there was no room");
	unlink(wrapped.path);
}

static void reserved(void)
{
	uint64_t lowest = 0, highest = 0, offset;
	struct room room = { .kind = RECORD_NAMES, .grain = 1 << 20 };
	int count;

	begin();
	ok(room_reserve() == 0 && room_reserve() == 0, "space is reserved, once");
	restrict_all(RECORD_SANDBOX_SECCOMP);
	ok(room_take(&room, 64) && room_take(&room, 64), "a room grows there");
	ok(room_segment(RECORD_NAMES, 0, 2 << 20, &offset) == NULL, "not by more than is left");
	ok(room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &offset) != NULL, "others do as well");
	room.next = room.end;
	ok(room_take(&room, 64), "but by less than it would have taken elsewhere");
	ok(room_header()->unreached.sandbox & RECORD_SANDBOX_ROOM, "a lack of space is recorded");
	count = take_all(&lowest, &highest);
	ok(count > 0 && highest - lowest == (uint64_t)(count - 1) * RECORD_GRAIN &&
		   highest + RECORD_GRAIN <= room_header()->end,
	   "%d segments follow each other, and the recording has them", count);
	unlink(wrapped.path);
}

static void shared_with_child(void)
{
	uint64_t mine, its, lowest, highest;
	int pipes[2], status;
	pid_t child;

	begin();
	room_reserve();
	restrict_all(RECORD_SANDBOX_SECCOMP);
	if (pipe(pipes))
		bail_out("pipe()");
	child = fork();
	if (child == 0) {
		room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &its);
		_exit(write(pipes[1], &its, sizeof(its)) != sizeof(its));
	}
	waitpid(child, &status, 0);
	ok(read(pipes[0], &its, sizeof(its)) == sizeof(its) &&
		   room_segment(RECORD_NAMES, 0, RECORD_GRAIN, &mine) && mine != its &&
		   take_all(&lowest, &highest) > 0,
	   "parent and child take different parts of it");
	unlink(wrapped.path);
}

int main(void)
{
	apart("unprepared", unprepared);
	apart("reserved", reserved);
	apart("shared with a child", shared_with_child);
	return tap_done();
}
