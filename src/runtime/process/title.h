/* SPDX-License-Identifier: MIT
 *
 * title.h - the current title of a process. Children of servers describe their task by overwriting
 * the arguments that they inherit, where ps reads them; there is no notification of that. This
 * reads them where the kernel put them, without a system call: a child may be sandboxed.
 */
#ifndef DWELL_RUNTIME_PROCESS_TITLE_H
#define DWELL_RUNTIME_PROCESS_TITLE_H

#include <stddef.h>

/* Arguments, and the environment behind them, as placed by the kernel; all NULL: not known. */
struct title_block {
	const char *start, *end, *environment_end;
};

/* Sets the location of the arguments; once, before main(). */
void title_init(const struct title_block *found);

/*
 * Reads the arguments, separated by 0, or the title in their place: as many bytes as fit; the rest,
 * and the last byte, are set to 0. Changes nothing if the arguments were not found. Any context.
 */
void title_read(char *title, size_t size);

#endif
