/* SPDX-License-Identifier: MIT
 *
 * record_load.h - known amounts of CPU time in functions with names, for `dwell record` to find.
 */
#ifndef DWELL_TESTS_RECORD_LOAD_H
#define DWELL_TESTS_RECORD_LOAD_H

#include <stdio.h>
#include <unistd.h>

#define LOAD_WITHOUT_LIBRARY
#include "load.h"

/* Prints the CPU time of the process so far, which the test compares samples with. Writes it at
 * once, since the process may be about to end in any way. */
static inline void say_cpu(void)
{
	char line[64];
	int size = snprintf(line, sizeof(line), "cpu %d %.6f\n", (int)getpid(), process_cpu());

	if (write(STDOUT_FILENO, line, (size_t)size) != size)
		_exit(125);
}

#endif
