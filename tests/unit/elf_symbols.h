/* SPDX-License-Identifier: MIT
 *
 * elf_symbols.h - finds functions by nm: a second opinion, which shares no code with ours.
 */
#ifndef DWELL_TESTS_ELF_SYMBOLS_H
#define DWELL_TESTS_ELF_SYMBOLS_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Returns the address of a symbol in a file; 0: none. */
static inline uint64_t elf_symbol_address(const char *path, const char *name)
{
	char command[1024], line[4096], found[2048], kind;
	unsigned long long address, answer = 0;
	FILE *nm;

	snprintf(command, sizeof(command), "(nm '%s'; nm -D '%s') 2>/dev/null", path, path);
	nm = popen(command, "r");
	if (!nm)
		bail_out("cannot run nm");
	while (fgets(line, sizeof(line), nm)) {
		if (sscanf(line, "%llx %c %2047s", &address, &kind, found) != 3)
			continue;
		/* Without its version. */
		found[strcspn(found, "@")] = '\0';
		if (strcmp(found, name) == 0)
			answer = address;
	}
	pclose(nm);
	return answer;
}

/* Returns its offset in the file, by readelf's program headers. */
static inline uint64_t elf_symbol_offset(const char *path, const char *name)
{
	unsigned long long offset, address, physical, file, memory;
	uint64_t wanted = elf_symbol_address(path, name), answer = 0;
	char command[1024], line[4096];
	FILE *readelf;

	snprintf(command, sizeof(command), "readelf -lW '%s'", path);
	readelf = popen(command, "r");
	if (!readelf || !wanted)
		bail_out("cannot find a function of the library with nm and readelf");
	while (fgets(line, sizeof(line), readelf))
		if (sscanf(line, " LOAD %llx %llx %llx %llx %llx", &offset, &address, &physical,
			   &file, &memory) == 5 &&
		    wanted >= address && wanted < address + file)
			answer = wanted - address + offset;
	pclose(readelf);
	return answer;
}

#endif
