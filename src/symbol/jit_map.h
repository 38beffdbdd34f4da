/* SPDX-License-Identifier: MIT
 *
 * jit_map.h - names of functions that a process has compiled itself, as it writes them for perf to
 * FOLDER/perf-PID.map: lines of "START SIZE NAME", in hexadecimal. Anybody can write such a file:
 * only those of ourselves and of root are believed.
 */
#ifndef DWELL_SYMBOL_JIT_MAP_H
#define DWELL_SYMBOL_JIT_MAP_H

#include <stdint.h>

#include "symbol/symbol_table.h"

#define JIT_MAP_FOLDER "/tmp"

struct jit_map {
	char *text; /* the file; names are in it */
	struct symbol_table table;
};

/* The functions in it; a file that is older than `since`, in seconds of the epoch, is of another
 * process that had the same number. 0, and jit_map_free() is due; or -errno. */
int jit_map_open(struct jit_map *map, const char *folder, uint32_t pid, uint64_t since);
void jit_map_free(struct jit_map *map);

#endif
