/* SPDX-License-Identifier: MIT */
#include "owner.h"

#include <stdbool.h>
#include <sys/wait.h>

#include "base/atomic64.h"
#include "pid_namespace.h"
#include "recording/write/room.h"
#include "sys.h"

/* Counts children that are not recorded yet, or have just ended, as well. */
static bool has_children(void)
{
	return SYS5(SYS_waitid, P_ALL, 0, NULL, WEXITED | WNOHANG | WNOWAIT | __WALL, NULL) !=
	       -ECHILD;
}

/* The start of a process's segment. */
struct head {
	struct record_segment segment;
	struct record_process process;
};

static bool is_sane(const struct record_segment *segment)
{
	return segment->mark == RECORD_SEGMENT_MARK && segment->size &&
	       segment->size % RECORD_GRAIN == 0;
}

/*
 * Returns whether the process may be alive. True also if its pid belongs to another process by now,
 * or is of another namespace and so cannot be checked.
 */
static bool may_live(const struct record_process *process, uint32_t namespace)
{
	if (!namespace || process->pid_namespace != namespace)
		return true;
	return process->pid != (uint32_t)sys_getpid() &&
	       SYS2(SYS_kill, (pid_t)process->pid, 0) != -ESRCH;
}

/* Returns the offset from which segments are whole grains. */
static uint64_t grains(uint64_t packed)
{
	uint64_t offset = (packed + RECORD_GRAIN - 1) / RECORD_GRAIN * RECORD_GRAIN;

	return offset ? offset : RECORD_GRAIN;
}

/* Returns whether there is, or may be, another recorded process. */
static bool has_others(int fd)
{
	struct record_header *header = room_header();
	/* Processes in the packed part have ended: recording/make/settle.h. */
	uint64_t end = atomic64_get(&header->end), offset = grains(header->packed);
	uint32_t namespace = pid_namespace();
	struct head head;

	if (header->scarcity.processes)
		return true;
	while (offset < end) {
		if (sys_pread(fd, &head, sizeof(head), offset) != sizeof(head))
			return true;
		if (is_sane(&head.segment) && head.segment.kind == RECORD_PROCESS &&
		    may_live(&head.process, namespace))
			return true;
		offset += is_sane(&head.segment) ? head.segment.size : RECORD_GRAIN;
	}
	return false;
}

uid_t owner_give(uid_t user)
{
	struct sys_stat status;
	int fd = room_hold();

	if (fd < 0 || user == OWNER_NONE || sys_fstat(fd, &status) || status.st_uid == user)
		return OWNER_NONE;
	if (has_children() || has_others(fd))
		return OWNER_NONE;
	return sys_fchown(fd, user) == 0 ? status.st_uid : OWNER_NONE;
}

void owner_take_back(uid_t owner)
{
	if (owner != OWNER_NONE)
		sys_fchown(room_hold(), owner);
}
