/* SPDX-License-Identifier: MIT
 *
 * inlined_spots.h - finds the spots and lines of tests/prog/inlined*.[ch]: by nm, and in the
 * source.
 */
#ifndef DWELL_TESTS_INLINED_SPOTS_H
#define DWELL_TESTS_INLINED_SPOTS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Returns the symbols of a file as nm prints them; free with free(). Starting nm takes longer than
 * reading them, so a test does it once for all names. */
static inline char *spots_read(const char *path)
{
	char command[1024], line[1024], *symbols = NULL;
	FILE *nm, *memory;
	size_t size;

	snprintf(command, sizeof(command), "nm %s", path);
	nm = popen(command, "r");
	memory = open_memstream(&symbols, &size);
	if (!nm || !memory)
		bail_out("cannot run nm");
	while (fgets(line, sizeof(line), nm))
		fputs(line, memory);
	pclose(nm);
	fclose(memory);
	return symbols;
}

/* Finds all spots of a name among these symbols, as offsets. These equal addresses if code is
 * mapped as in the file, as the linker is told to do. */
static inline size_t spots_find(const char *symbols, const char *name, uint64_t spots[SPOTS_MAX])
{
	char found[512], wanted[128];
	unsigned long long address;
	size_t count = 0;

	snprintf(wanted, sizeof(wanted), "spot_%s.", name);
	for (const char *line = symbols; *line; line += strcspn(line, "\n") + 1)
		if (sscanf(line, "%llx %*c %511s", &address, found) == 2 &&
		    strncmp(found, wanted, strlen(wanted)) == 0 && count < SPOTS_MAX)
			spots[count++] = address;
	return count;
}

#endif
