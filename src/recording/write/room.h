/* SPDX-License-Identifier: MIT
 *
 * room.h - space in the recording for code inside the target.
 *
 * Space is allocated in the file before it is mapped, so that a full disk is an error here and not
 * a SIGBUS later. All functions may be called in any context, by several processes and threads at
 * once; a room is used by its owner alone.
 */
#ifndef DWELL_RECORDING_WRITE_ROOM_H
#define DWELL_RECORDING_WRITE_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* Segments of one owner; the last one is being filled. */
struct room {
	char *start; /* of the segment being filled; NULL: shared with another owner */
	char *next, *end;
	uint32_t kind;  /* of further segments */
	uint32_t grain; /* bytes of the next one */
	uint64_t owner;
	bool is_second;    /* the next one has the size of the last */
	uint16_t patience; /* requests until the next try, where there was no space */
	uint16_t unasked;  /* how many of them are left */
};

/* Maps the header of the recording; path must stay valid. Returns 0 or -errno. */
int room_attach(const char *path);
struct record_header *room_header(void);

/* Does the same for a recording without a name, of which it keeps a duplicate of the descriptor;
 * the second forgets it, and leaves what is mapped to the caller. No room is used meanwhile. */
int room_attach_to(int fd);
void room_detach(void);

/* Holds the recording open, by a close-on-exec descriptor, since its path may lead nowhere from now
 * on. Until then no descriptor stays open. Returns the descriptor, or -errno. */
int room_hold(void);

/* Returns true if room_hold() was ever called, and there is a recording. */
bool room_is_apart(void);

/* Notes that the process is about to restrict itself (enum record_sandbox), or has lost something
 * because of that. The first is called by one thread at a time, the second in any context. */
void room_sandboxed(uint32_t kind);
void room_lost_in_sandbox(uint32_t what);

/* Maps space of the recording for further segments, before that becomes impossible. Once. Returns 0
 * or -errno. */
int room_reserve(void);

/* Checks that its path leads to it from here, as for a program that is executed now. Returns 0 or
 * -errno. */
int room_reach(void);

/* Counts a program about to be executed that cannot be recorded, for the reason -errno; the second
 * takes that back, after a failed exec. */
void room_lost_program(int err);
void room_found_program(void);

/* Makes a new segment: returns the memory behind its struct record_segment, and its file offset.
 * NULL: no space; the header has the reason. */
void *room_segment(uint32_t kind, uint64_t owner, size_t size, uint64_t *offset);

/* Maps the first grain of a segment that another process has made. Returns the memory behind its
 * struct record_segment; NULL: there is none of that kind, or it cannot be mapped. */
void *room_segment_at(uint32_t kind, uint64_t offset);

/* Makes one of a single grain, mapped in place of another such segment: `old` is the memory behind
 * that one's struct record_segment; NULL: elsewhere. Threads that still write there write to the
 * new one. */
void *room_segment_over(void *old, uint32_t kind, uint64_t owner, uint64_t *offset);

/* Counts this process as lost: it has no segment, and nothing of it is recorded. May be called
 * twice. */
void room_lost_process(uint32_t pid);

/* Returns how many pieces an item should have room for: as many as wanted; or fewer, to fill the
 * rest of the segment, if these are at least `least`. */
uint32_t room_fitting(const struct room *room, size_t head, size_t piece, uint32_t wanted,
		      uint32_t least);

/* Returns space for an item, zeroed and aligned to 64 bytes. NULL: none. */
void *room_take(struct room *room, size_t size);

/* Returns true if it is too early to ask for this much again after there was no space. For callers
 * that would ask every time: room_take() costs several system calls then. */
bool room_denies(struct room *room, size_t size);

/* Replaces the page of address by zeroes after a SIGBUS: its file no longer has it, since it was
 * truncated or its disk is gone. From then on no new segments are made, and the header records
 * ENODATA, if it still exists. Returns false without memory. The header may be such a page itself:
 * then SIGBUS is raised once more in here. */
bool room_mend(const void *address);

/* Makes a complete item visible to readers. */
void room_publish(struct record_item *item, uint32_t kind);

#endif
