/* SPDX-License-Identifier: MIT
 *
 * rights_guard.c - stands in front of the functions of libc by which a process gives up rights, or
 * goes where paths mean something else, and has the recording held open before it does; or even
 * given to who it becomes: see owner.h.
 *
 * Otherwise no descriptor is kept: programs look at which ones they have. Who does this past libc
 * goes without new room in the recording, and that is told.
 *
 * All of this may run between fork() and exec(), in a child of vfork() as well: there, what is
 * noted of the descriptor is wrong for the parent, which checks it before use.
 */
#include <grp.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "base/export.h"
#include "interpose.h"
#include "owner.h"
#include "recording/write/room.h"

/* libc's own has a header on few systems. */
int capset(void *header, const void *rights);

/* name, parameters, arguments */
#define GUARDED(_)                                                                                 \
	_(seteuid, (uid_t user), (user))                                                           \
	_(setgid, (gid_t group), (group))                                                          \
	_(setegid, (gid_t group), (group))                                                         \
	_(setregid, (gid_t group, gid_t effective), (group, effective))                            \
	_(setresgid, (gid_t group, gid_t effective, gid_t saved), (group, effective, saved))       \
	_(setgroups, (size_t count, const gid_t *groups), (count, groups))                         \
	_(initgroups, (const char *user, gid_t group), (user, group))                              \
	_(chroot, (const char *path), (path))                                                      \
	_(unshare, (int flags), (flags))                                                           \
	_(setns, (int fd, int kind), (fd, kind))                                                   \
	_(capset, (void *header, const void *rights), (header, rights))

/* The same for those by which a process becomes another user, and who that is if it is for good. */
#define BECOMING(_)                                                                                \
	_(setuid, (uid_t user), (user), user)                                                      \
	_(setreuid, (uid_t user, uid_t effective), (user, effective),                              \
	  user == effective ? user : OWNER_NONE)                                                   \
	_(setresuid, (uid_t user, uid_t effective, uid_t saved), (user, effective, saved),         \
	  user == effective && user == saved ? user : OWNER_NONE)

#define POINTER(name, parameters, arguments, ...) int(*name) parameters;

static struct {
	GUARDED(POINTER)
	BECOMING(POINTER)
} libc;

#define FIND(name, parameters, arguments, ...) INTERPOSE_FIND(libc.name, #name);

__attribute__((constructor)) static void guard_at_load(void){ GUARDED(FIND) BECOMING(FIND) }

#define GUARD(name, parameters, arguments)                                                         \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		if (!libc.name)                                                                    \
			guard_at_load();                                                           \
		room_hold();                                                                       \
		return libc.name arguments;                                                        \
	}

GUARDED(GUARD)

#define BECOME(name, parameters, arguments, becomes)                                               \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		uid_t owner;                                                                       \
		int answer;                                                                        \
                                                                                                   \
		if (!libc.name)                                                                    \
			guard_at_load();                                                           \
		owner = owner_give(becomes);                                                       \
		answer = libc.name arguments;                                                      \
		if (answer)                                                                        \
			owner_take_back(owner);                                                    \
		return answer;                                                                     \
	}

	BECOMING(BECOME)
