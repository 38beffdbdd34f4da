/* SPDX-License-Identifier: MIT
 *
 * draft.h - a recording that is made of a foreign profile, in memory until it is saved.
 *
 * A recording has addresses, and an archive has the names of addresses. A name without an address
 * gets one here: a *place* is what a foreign file knows about a frame, and all places of an object
 * are numbered in a mapping of their own, above all addresses that a program can have.
 */
#ifndef DWELL_IMPORT_DRAFT_H
#define DWELL_IMPORT_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/diff/match.h"
#include "model/profile/functions.h"
#include "recording/make/item_list.h"
#include "symbol/archive_write.h"

/* Stands for the object of a frame that no file is known of. */
#define DRAFT_NO_OBJECT "[unknown]"

/* Instant at which a draft starts, in ticks; 0 would be "unknown". */
#define DRAFT_STARTED UINT64_C(1000000000)

struct draft_object {
	struct symbolizer_object *file; /* in draft.functions */
	uint32_t places;                /* that have no address of their own */
};

struct draft_process {
	uint32_t pid;
	uint32_t run;           /* number of its run */
	uint64_t started;       /* in ticks */
	uint32_t parent;        /* that it was forked from; HASH_NONE: none */
	char command[256];      /* its first argument, or its title */
	struct item_list items; /* MAPs and the like */
	struct record_frame *frames;
	size_t frame_count;
	struct hash by_caller; /* caller and address -> number of the frame */
	struct hash by_tid;    /* -> index in draft.threads */
};

struct draft_thread {
	uint32_t process, tid;
	char name[sizeof(((struct record_sums *)0)->name)];
	struct item_list items; /* counted calls */
	struct record_sum *sums;
	size_t count;
	uint64_t next; /* instant of the next sample that has no time */
};

/* A function at a place, with what the foreign file knows about it. */
struct draft_frame {
	const char *name;   /* or its symbol */
	const char *source; /* "": unknown */
	uint32_t line;
};

/* Its parts point to each other, so it must not be moved. */
struct draft {
	struct record_header header;
	char clock[16]; /* that samples were triggered by; may be truncated */
	char event[64]; /* that values count; "": they are nanoseconds */
	bool is_wall;
	struct item_list *runs; /* labels of each */
	size_t run_count;
	struct draft_process *processes;
	size_t process_count;
	struct hash by_pid; /* run and pid -> the latest process */
	struct draft_thread *threads;
	size_t thread_count;
	struct draft_object *objects;
	size_t object_count;
	struct hash by_object; /* number of its file -> index in objects */
	struct match_table texts;
	struct match_table places;  /* object and contents -> number */
	struct item_list key;       /* of the last one */
	uint64_t *addresses;        /* of these */
	struct match_table named;   /* object and text: functions */
	uint64_t *starts;           /* of these */
	struct functions functions; /* has the symbolizer */
	struct archive_write names;
};

/* On success, free with draft_free(). */
int draft_init(struct draft *draft, struct err *err);
void draft_free(struct draft *draft);

/* Adds a run, which has labels of its own. A draft without any gets one. */
int draft_run(struct draft *draft, uint32_t *run, struct err *err);
int draft_label(struct draft *draft, uint32_t run, const char *key, const char *value,
		struct err *err);

/* Finds the latest process of a pid in a run, or adds it. */
int draft_process(struct draft *draft, uint32_t run, uint32_t pid, uint32_t *process,
		  struct err *err);
/* Adds one in place of an earlier one of the same pid. */
int draft_new_process(struct draft *draft, uint32_t run, uint32_t pid, uint32_t *process,
		      struct err *err);
void draft_title(struct draft *draft, uint32_t process, const char *title);

/* Finds a thread, or adds it. */
int draft_thread(struct draft *draft, uint32_t process, uint32_t tid, const char *name,
		 uint32_t *thread, struct err *err);

/* Finds an object by its path and build-id, or adds it. */
int draft_object(struct draft *draft, const char *path, const struct build_id *id, uint32_t *object,
		 struct err *err);

/* Adds a part of a file, or memory, that a process has mapped. */
int draft_map(struct draft *draft, uint32_t process, const struct record_map *map, const char *path,
	      struct err *err);

/* Finds an address for frames that have none, the innermost first: of which all but the last are
 * inlined. */
int draft_place(struct draft *draft, uint32_t object, const struct draft_frame *frames,
		size_t count, uint64_t *address, struct err *err);

/* Keeps the frames at an offset of an object; without any, those that the symbolizer finds. */
int draft_place_at(struct draft *draft, uint32_t object, uint64_t offset,
		   const struct draft_frame *frames, size_t count, struct err *err);

/* Finds the frame of a stack. Addresses are those of instructions, the innermost first; a call's
 * is that of the call. */
int draft_stack(struct draft *draft, uint32_t process, const uint64_t *addresses, size_t count,
		uint32_t *frame, struct err *err);

/* Adds samples of a stack. Without a time they follow the previous ones of the thread. */
int draft_add(struct draft *draft, uint32_t thread, uint32_t frame, uint64_t samples, uint64_t ns,
	      struct err *err);
int draft_add_at(struct draft *draft, uint32_t thread, const struct record_sum *sum,
		 struct err *err);

/* Names the clock, or the event, that has triggered samples. */
void draft_clock(struct draft *draft, const char *name);

/* Sets the command of the header: the arguments, each with its final 0. */
void draft_command(struct draft *draft, const char *arguments, size_t size);

/* Writes the recording; it appears when it is complete, or not at all. */
int draft_save(struct draft *draft, const char *path, bool replace, struct err *err);

#endif
