/* SPDX-License-Identifier: MIT
 *
 * room.h - where code inside the target makes its entries in the recording.
 *
 * Space is allocated in the file before it is mapped, so that a full disk is an answer here and not
 * a SIGBUS later. All of this may be called in any context, by several processes and threads at
 * once; a room is its owner's alone.
 */
#ifndef DWELL_RECORDING_WRITE_ROOM_H
#define DWELL_RECORDING_WRITE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* Segments of one owner, of which the last is being filled. */
struct room {
	char *start; /* of the segment that is being filled; NULL: it is of somebody else, too */
	char *next, *end;
	uint32_t kind;  /* of segments to come */
	uint32_t grain; /* bytes of the next one */
	uint64_t owner;
	bool is_second;    /* the next one is as large as the last */
	uint16_t patience; /* after how many requests to ask again where there was no space */
	uint16_t unasked;  /* of these, how many are left */
};

/* Maps the header of the recording; path must stay. 0 or -errno. */
int room_attach(const char *path);
struct record_header *room_header(void);

/* From now on its path may lead nowhere, so it is held open, by a descriptor that exec closes.
 * Until then none stays open. Answers the descriptor, or -errno. */
int room_hold(void);

/* Whether room_hold() was ever called, and there is a recording. */
bool room_is_apart(void);

/*
 * The process is about to restrict itself by that (enum record_sandbox), or has lost something by
 * it. The first is called by one thread at a time, the second in any context.
 */
void room_sandboxed(uint32_t kind);
void room_lost_in_sandbox(uint32_t what);

/* Maps space of the recording for segments to come, where they cannot be had any more. Once. 0 or
 * -errno. */
int room_reserve(void);

/* Whether its path leads to it from here, as for a program that is executed now. 0 or -errno. */
int room_reach(void);

/* A program is about to be executed that cannot be recorded, for the reason -errno; then: that has
 * failed, and it is not. */
void room_lost_program(int err);
void room_found_program(void);

/* A new segment: what follows its struct record_segment, and its file offset. NULL: there is no
 * space, and the header says why. */
void *room_segment(uint32_t kind, uint64_t owner, size_t size, uint64_t *offset);

/*
 * The same, of one grain, mapped in the place of another one of a grain: of `old`, what follows the
 * struct record_segment of that; NULL: elsewhere. Whoever still writes there writes to the new one.
 */
void *room_segment_over(void *old, uint32_t kind, uint64_t owner, uint64_t *offset);

/* There is no segment for this process, of which nothing is recorded. It may say so twice. */
void room_lost_process(uint32_t pid);

/* How many pieces an item should have room for: as many as wanted; or fewer, so that it fills what
 * is left of the segment, if that are not less than `least`. */
uint32_t room_fitting(const struct room *room, size_t head, size_t piece, uint32_t wanted,
		      uint32_t least);

/* Space for an item, zeroed and aligned to 64 bytes. NULL: there is none. */
void *room_take(struct room *room, size_t size);

/* Whether it is too early to ask for so much again, since there was no space the last time. For
 * whoever would ask at every turn: room_take() costs several system calls then. */
bool room_denies(struct room *room, size_t size);

/*
 * After a SIGBUS: puts a page of zeroes in the place of the one that holds address, which its file
 * no longer has, since it was truncated or its disk is gone. From then on there are no new
 * segments, and the header says ENODATA, if it is still there. Returns false if there is no memory.
 * The header may be such a page itself: then SIGBUS is raised once more in here.
 */
bool room_mend(const void *address);

/* The item is complete and becomes visible to readers. */
void room_publish(struct record_item *item, uint32_t kind);

#endif
