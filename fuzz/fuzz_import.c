/* SPDX-License-Identifier: MIT
 *
 * fuzz_import.c - a foreign profile of any format: `dwell import` makes a recording of it, which
 * `dwell report` reads without damage; or it says in one sentence why not.
 */
#include <getopt.h>

#include "cli/cmd.h"
#include "fuzz.h"
#include "import/import.h"
#include "recording/read/reader.h"

static struct fuzz_file input;
static char output[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	input = fuzz_file_new();
	snprintf(output, sizeof(output), "/tmp/dwell-fuzz-import-%d", getpid());
	/* libFuzzer and the sanitizers keep the descriptor. */
	stdout = stderr = fopen("/dev/null", "w");
	return stdout ? 0 : 1;
}

static void report(void)
{
	char *argv[] = { (char *)"report", (char *)"--by", (char *)"line", output, NULL };

	/* getopt begins anew. */
	optind = 0;
	cmd_report(4, argv);
}

/* The first byte has the options of folded stacks. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct import_options options = { .hz = IMPORT_HZ };
	struct import_result result;
	struct reader reader;
	struct err err = { 0 };

	if (size < 1)
		return 0;
	options.first = (enum import_first)((bytes[0] & 3) % 3);
	options.is_ns = bytes[0] & 4;
	fuzz_file_cut(&input, 0);
	fuzz_file_write(&input, bytes + 1, size - 1, 0);
	if (import_save(input.path, &options, output, true, &result, &err)) {
		if (!*err.text || strchr(err.text, '\n'))
			abort();
		return 0;
	}
	if (reader_open(&reader, output, &err) || reader.damaged || reader.missing)
		abort();
	reader_close(&reader);
	report();
	unlink(output);
	return 0;
}
