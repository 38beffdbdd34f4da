/* SPDX-License-Identifier: MIT
 *
 * held.h - counts descriptors and timers of the process: a clock that is off has given its own
 * back.
 */
#ifndef DWELL_TESTS_HELD_H
#define DWELL_TESTS_HELD_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>

static inline int held_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	int count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

static inline int held_timers(void)
{
	FILE *file = fopen("/proc/self/timers", "r");
	char line[256];
	int count = 0;

	while (file && fgets(line, sizeof(line), file))
		count += strncmp(line, "ID:", 3) == 0;
	if (file)
		fclose(file);
	return count;
}

static inline int held_by_process(void)
{
	return held_descriptors() + held_timers();
}

#endif
