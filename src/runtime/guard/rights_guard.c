/* SPDX-License-Identifier: MIT
 *
 * rights_guard.c - interposes the functions of libc by which a process gives up rights, or moves to
 * where paths differ. Before that, it holds the recording open, or even gives it to the new user:
 * see owner.h.
 *
 * Otherwise it keeps no descriptor: programs inspect which ones are open. A process that bypasses
 * libc for this gets no new room in the recording, which is reported.
 *
 * All of this may run between fork() and exec(), including the child of vfork(): there, the note
 * about the descriptor is wrong for the parent, which checks it before use.
 */
#include <grp.h>
#include <sched.h>
#include <stddef.h>
#include <unistd.h>

#include "base/export.h"
#include "interpose.h"
#include "owner.h"
#include "recording/write/room.h"

/* Few systems have a header that declares it. */
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

/*
 * As above, for functions that change the user; the last column is the new user if it is for good.
 */
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
		int result;                                                                        \
                                                                                                   \
		if (!libc.name)                                                                    \
			guard_at_load();                                                           \
		owner = owner_give(becomes);                                                       \
		result = libc.name arguments;                                                      \
		if (result)                                                                        \
			owner_take_back(owner);                                                    \
		return result;                                                                     \
	}

	BECOMING(BECOME)
