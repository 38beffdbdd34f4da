/* SPDX-License-Identifier: MIT
 *
 * functions.h - the sampled functions, each once, with a number. A place without a symbol is a
 * function as well, "libfoo.so+0x1234", by its start in the unwind table.
 */
#ifndef DWELL_MODEL_PROFILE_FUNCTIONS_H
#define DWELL_MODEL_PROFILE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/spec.h"
#include "maps.h"
#include "recording/format.h"
#include "symbol/symbolizer.h"

/* Functions that always exist. */
enum {
	FUNCTION_OVERHEAD, /* all of dwell's own code inside the target */
	FUNCTION_UNKNOWN,  /* in no known mapping */
};

struct function {
	char *name;                           /* demangled, if requested */
	const char *symbol;                   /* NULL: none */
	const char *object;                   /* for display */
	const struct symbolizer_object *file; /* NULL: none */
	uint64_t start;                       /* as in the file; 0: always inlined, or in no file;
					       * of a script: its first line */
	uint32_t column;   /* of a script that a JIT compiled: in that line; else 0 */
	bool is_script;    /* run by an interpreter, or compiled by a JIT; the file is its source */
	uint32_t language; /* enum record_language, if an interpreter runs it; else 0 */
	bool is_focus, is_ignored, is_hidden; /* by the user's choice */
};

/* The user's choice; each may be NULL. */
struct functions_choice {
	struct spec_list *focus, *ignore, *hide;
};

struct functions {
	struct function *list;
	size_t count;
	struct hash by_start; /* object and start -> number */
	struct hash by_name;  /* of scripts and JITs: name, file and first line -> number */
	struct symbolizer symbolizer;
	struct functions_choice choice;
	bool mangled; /* names as in the file */
	bool tiers;   /* a JIT's tiers separately */
};

/* How functions are separated and named. */
struct functions_style {
	bool mangled;   /* names as in the file */
	bool no_inline; /* by symbols alone */
	bool lines;     /* with the line of the source */
	bool tiers;     /* code of each tier of a JIT is a function */
};

/* Returns true for an address of the kernel, as stacks have it. */
static inline bool frame_is_kernel(uint64_t address)
{
	return address >= RECORD_KERNEL_START && address < RECORD_KERNEL_END;
}

/* Initialises; `since` is the start of recording, in nanoseconds of the epoch. On success, free
 * with functions_fini(). */
int functions_init(struct functions *functions, const struct functions_choice *choice,
		   const struct functions_style *style, uint64_t since, struct err *err);
void functions_fini(struct functions *functions);

/* Finds the file of a mapping: functions of a place in it are the same for all processes. NULL: it
 * has none. Returns 0 or -errno. */
int functions_file(struct functions *functions, const struct record_map *map,
		   const struct symbolizer_object **file, struct err *err);

/* An address of a process, with its mapping, or NULL. */
struct functions_place {
	uint64_t address;
	const struct record_map *map;
	const struct record_script *script; /* the function there; NULL: none */
	uint64_t maker;                     /* the process: see symbol/archive_read.h */
	bool is_elsewhere;                  /* it is of another machine */
};

/* One of the functions there, and the line of its source. */
struct functions_frame {
	uint32_t number;
	const char *source; /* NULL: unknown; belongs to the symbolizer */
	uint32_t line;      /* 0: unknown */
};

/* The result of a lookup. */
struct functions_found {
	uint64_t address; /* as in the file, or in the process without a file */
	bool is_signal;   /* code that signal handlers return to */
	size_t depth;     /* at least 1; frames are as in a struct place */
	struct functions_frame frames[PLACE_DEPTH];
};

/* Returns 0 or -errno. */
int functions_find(struct functions *functions, const struct functions_place *place,
		   struct functions_found *found, struct err *err);

/* Finds the caller for a return address. If that is the return from a signal handler, it was not
 * called, and the next frame has no return address. */
int functions_find_caller(struct functions *functions, const struct functions_place *place,
			  struct functions_found *found, struct err *err);

/* Gives all functions the short form of their names, for people; see symbol/short_name.h. */
void functions_shorten(struct functions *functions);

/* Returns true if a list of specs matches a function; marks the matching ones. */
bool functions_match(const struct function *function, struct spec_list *list);

#endif
