/* SPDX-License-Identifier: MIT
 *
 * fuzz_jitdump.c - a jit-PID.dump of foreign bytes: functions that are found must be valid.
 */
#include <sys/mman.h>

#include "fuzz.h"
#include "recording/read/jitdump.h"

static int fd;
static size_t touched;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fd = memfd_create("jitdump", MFD_CLOEXEC);
	fuzz_need(fd >= 0, "a file cannot be made");
	return 0;
}

static void check(const struct jitdump_function *function)
{
	touched += strlen(function->name) + (function->file ? strlen(function->file) : 0);
	if (!*function->name || function->start >= function->end ||
	    function->end > RECORD_SCRIPTS_START)
		abort();
	for (size_t i = 1; i < function->line_count; i++)
		if (function->lines[i - 1].offset > function->lines[i].offset)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct fuzz_file file = { .fd = fd };
	struct jitdump dump;

	fuzz_file_cut(&file, 0);
	fuzz_file_write(&file, bytes, size, 0);
	if (jitdump_read(&dump, fd))
		return 0;
	for (size_t i = 0; i < dump.count; i++)
		check(&dump.functions[i]);
	jitdump_free(&dump);
	return 0;
}
