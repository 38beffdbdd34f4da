/* SPDX-License-Identifier: MIT
 *
 * jitdump.h - the functions that a process compiled itself, as its JIT writes them for perf to a
 * file jit-PID.dump: name, addresses and time, and lines of the source where the JIT knows them.
 * The file is untrusted, and may still be growing: it is read up to the first invalid record.
 *
 *	header	magic, version, size of the header, machine, 0, pid; time, flags
 *	record	kind, size of all of it; time; then by kind:
 *	  LOAD		pid, tid; vma, address, size and number of the code; name; the code
 *	  MOVE		pid, tid; vma, old and new address, size and number of the code
 *	  DEBUG_INFO	address, number of entries; each: address; line, column; file
 *	  CLOSE		nothing follows
 *
 * DEBUG_INFO comes before the LOAD of its code. All numbers are of the process's machine.
 */
#ifndef DWELL_RECORDING_READ_JITDUMP_H
#define DWELL_RECORDING_READ_JITDUMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "recording/format.h"

/* A function at its addresses from a time on, until another one is there. Texts and lines belong to
 * the dump. */
struct jitdump_function {
	uint64_t time; /* nanoseconds of CLOCK_MONOTONIC, or ticks of the CPU's counter */
	uint64_t start, end;
	char *name;
	char *file;                     /* of its lines; NULL: none */
	struct record_made_line *lines; /* by offset */
	size_t line_count;
	bool is_moved; /* another one owns its texts and lines */
};

struct jitdump {
	struct jitdump_function *functions; /* in the order of the file */
	size_t count;
	bool has_ticks; /* times are ticks */
};

/* Reads a dump, whose descriptor stays open. Returns 0, then free with jitdump_free(); or
 * -errno. */
int jitdump_read(struct jitdump *dump, int fd);
void jitdump_free(struct jitdump *dump);

#endif
