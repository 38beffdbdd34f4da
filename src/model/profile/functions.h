/* SPDX-License-Identifier: MIT
 *
 * functions.h - the functions that samples were in, each once, with a number. What has no symbol is
 * a function as well, "libfoo.so+0x1234", by where its unwind table says that it begins.
 */
#ifndef DWELL_MODEL_PROFILE_FUNCTIONS_H
#define DWELL_MODEL_PROFILE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/spec.h"
#include "recording/format.h"
#include "symbol/symbolizer.h"

/* Functions that are always there. */
enum {
	FUNCTION_OVERHEAD, /* all of dwell's own inside of the target */
	FUNCTION_UNKNOWN,  /* where nothing is known to be mapped */
};

struct function {
	char *name;                           /* demangled, if that was asked for */
	const char *symbol;                   /* NULL: it has none */
	const char *object;                   /* as people call it */
	const struct symbolizer_object *file; /* NULL: it is in none */
	uint64_t start; /* as the file counts; 0: it is in others only, or in no file */
	bool is_focus, is_ignored, is_hidden; /* by what the user chose */
};

/* What the user chose by; each may be NULL. */
struct functions_choice {
	struct spec_list *focus, *ignore, *hide;
};

struct functions {
	struct function *list;
	size_t count;
	struct hash by_start; /* of object and start -> number */
	struct symbolizer symbolizer;
	struct functions_choice choice;
	bool mangled; /* names as they are in the file */
};

/* How functions are told apart and called. */
struct functions_style {
	bool mangled;   /* names as they are in the file */
	bool no_inline; /* by symbols alone */
	bool lines;     /* and which line of the source it was */
};

/* `since` is when recording began, in nanoseconds of the epoch. On success, functions_fini() is
 * due. */
int functions_init(struct functions *functions, const struct functions_choice *choice,
		   const struct functions_style *style, uint64_t since, struct err *err);
void functions_fini(struct functions *functions);

/* An address of a process, with what is mapped there, or NULL. */
struct functions_place {
	uint64_t address;
	const struct record_map *map;
	uint32_t pid;
};

/* One of the functions that are there, and the line of its source. */
struct functions_frame {
	uint32_t number;
	const char *source; /* NULL: unknown; belongs to the symbolizer */
	uint32_t line;      /* 0: unknown */
};

/* What is there. */
struct functions_found {
	uint64_t address; /* as the file counts, or the process if there is no file */
	bool is_signal;   /* code that signal handlers return to */
	size_t depth;     /* at least 1; frames are as those of a struct place */
	struct functions_frame frames[PLACE_DEPTH];
};

/* 0 or -errno. */
int functions_find(struct functions *functions, const struct functions_place *place,
		   struct functions_found *found, struct err *err);

/* The same for a return address: who called. If that is the return from a signal handler, nobody
 * did, and the next frame has no return address. */
int functions_find_caller(struct functions *functions, const struct functions_place *place,
			  struct functions_found *found, struct err *err);

/* Whether a list of specs has one for a function; marks those that do. */
bool functions_match(const struct function *function, struct spec_list *list);

#endif
