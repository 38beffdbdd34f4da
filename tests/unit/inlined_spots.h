/* SPDX-License-Identifier: MIT
 *
 * inlined_spots.h - finds the spots and lines of tests/prog/inlined*.[ch]: by nm, and in the
 * source.
 */
#ifndef DWELL_TESTS_INLINED_SPOTS_H
#define DWELL_TESTS_INLINED_SPOTS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

#define SPOTS_MAX 16

/* Returns the line of a source file in the folder with the comment "at: NAME". */
static inline uint32_t spots_line(const char *sources, const char *file, const char *name)
{
	char path[4096], wanted[128], line[1024];
	uint32_t number = 0, found = 0;
	FILE *source;

	snprintf(path, sizeof(path), "%s/%s", sources, file);
	snprintf(wanted, sizeof(wanted), "/* at: %s */", name);
	source = fopen(path, "r");
	if (!source)
		bail_out("a source file is not there");
	while (fgets(line, sizeof(line), source)) {
		number++;
		if (strstr(line, wanted))
			found = number;
	}
	fclose(source);
	if (!found)
		bail_out("a line is not marked in the source");
	return found;
}

/* Finds all spots of a name in a file, as offsets. These equal addresses if code is mapped as in
 * the file, as the linker is told to do. */
static inline size_t spots_find(const char *path, const char *name, uint64_t spots[SPOTS_MAX])
{
	char command[1024], line[1024], found[512], wanted[128];
	unsigned long long address;
	size_t count = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "nm %s", path);
	snprintf(wanted, sizeof(wanted), "spot_%s.", name);
	nm = popen(command, "r");
	if (!nm)
		bail_out("cannot run nm");
	while (fgets(line, sizeof(line), nm))
		if (sscanf(line, "%llx %*c %511s", &address, found) == 2 &&
		    strncmp(found, wanted, strlen(wanted)) == 0 && count < SPOTS_MAX)
			spots[count++] = address;
	pclose(nm);
	return count;
}

#endif
