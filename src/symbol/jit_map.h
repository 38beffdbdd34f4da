/* SPDX-License-Identifier: MIT
 *
 * jit_map.h - names of functions that a process compiled itself, as it writes them for perf to
 * FOLDER/perf-PID.map: lines of "START SIZE NAME", in hexadecimal. Any user can write such a file:
 * only our own and root's are trusted.
 */
#ifndef DWELL_SYMBOL_JIT_MAP_H
#define DWELL_SYMBOL_JIT_MAP_H

#include <stdint.h>

#include "symbol/symbol_table.h"

#define JIT_MAP_FOLDER "/tmp"

struct jit_map {
	char *text; /* the file; names point into it */
	struct symbol_table table;
};

/* Reads its functions; a file older than `since`, in seconds of the epoch, is of an earlier process
 * with the same number. Returns 0, then free with jit_map_free(); or -errno. */
int jit_map_open(struct jit_map *map, const char *folder, uint32_t pid, uint64_t since);
void jit_map_free(struct jit_map *map);

#endif
