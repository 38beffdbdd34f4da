/* SPDX-License-Identifier: MIT
 *
 * title.h - what a process calls itself by now. Servers have their children tell what each is for
 * by writing over the arguments that they have from their parent, where ps looks for them; nobody
 * is told of that. Read here from where the kernel has put the arguments, without a system call: a
 * child may have forbidden itself those.
 */
#ifndef DWELL_RUNTIME_PROCESS_TITLE_H
#define DWELL_RUNTIME_PROCESS_TITLE_H

#include <stddef.h>

/* Arguments, and the environment behind them, where the kernel has put them; all NULL: not known.
 */
struct title_block {
	const char *start, *end, *environment_end;
};

/* Once, before main(). */
void title_init(const struct title_block *found);

/* The arguments, 0 between them, or what is in their place: as many bytes as fit, the rest becomes
 * 0, as does the last one. Nothing is changed where arguments are not to be found. In any context.
 */
void title_read(char *title, size_t size);

#endif
