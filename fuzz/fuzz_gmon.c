/* SPDX-License-Identifier: MIT
 *
 * fuzz_gmon.c - a gmon.out of foreign bytes: `dwell report` shows it with the symbols of a small
 * library, or says in one sentence why not.
 */
#include <getopt.h>

#include "cli/cmd.h"
#include "fuzz.h"

static struct fuzz_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = fuzz_file_new();
	/* libFuzzer and the sanitizers keep the descriptor. */
	stdout = stderr = fopen("/dev/null", "w");
	return stdout ? 0 : 1;
}

/* The first byte says how it is shown, and whether it is added to itself. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const formats[] = { "text", "json", "csv" };
	char *argv[] = { (char *)"report",     (char *)"--format", NULL,      (char *)"--exe",
			 (char *)FUZZ_PROGRAM, file.path,          file.path, NULL };
	int argc = size && bytes[0] & 4 ? 7 : 6;

	if (size < 1)
		return 0;
	argv[2] = (char *)formats[(bytes[0] & 3) % 3];
	argv[argc] = NULL;
	fuzz_file_cut(&file, 0);
	fuzz_file_write(&file, bytes + 1, size - 1, 0);
	/* getopt begins anew. */
	optind = 0;
	cmd_report(argc, argv);
	return 0;
}
