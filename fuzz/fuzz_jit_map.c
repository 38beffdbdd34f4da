/* SPDX-License-Identifier: MIT
 *
 * fuzz_jit_map.c - a perf-PID.map of foreign bytes, and the functions that are found by it.
 */
#include <fcntl.h>

#include "fuzz.h"
#include "symbol/jit_map.h"

enum { PID = 1 };

static char folder[64];
static char path[sizeof(folder) + 32];
static int fd;
static size_t touched;

static void clean_up(void)
{
	unlink(path);
	rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	/* In memory, if there is such a folder: it is written for each input. */
	snprintf(folder, sizeof(folder), "%s/dwell-fuzz-XXXXXX",
		 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
	fuzz_need(mkdtemp(folder), "there is no folder for a file");
	atexit(clean_up);
	snprintf(path, sizeof(path), "%s/perf-%d.map", folder, PID);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	fuzz_need(fd >= 0, "a file cannot be made");
	return 0;
}

static void find(const struct symbol_table *table, uint64_t address)
{
	const struct symbol *symbol = symbol_table_find(table, address);

	if (!symbol)
		return;
	touched += strlen(symbol->name);
	if (address < symbol->start || address >= symbol->end)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct fuzz_file file = { .fd = fd };
	struct jit_map map;

	fuzz_file_cut(&file, 0);
	fuzz_file_write(&file, bytes, size, 0);
	if (jit_map_open(&map, folder, PID, 0))
		return 0;
	for (size_t i = 0; i < map.table.count; i++) {
		find(&map.table, map.table.symbols[i].start - 1);
		find(&map.table, map.table.symbols[i].start);
		find(&map.table, map.table.symbols[i].end);
	}
	jit_map_free(&map);
	return 0;
}
