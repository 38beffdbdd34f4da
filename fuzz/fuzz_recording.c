/* SPDX-License-Identifier: MIT
 *
 * fuzz_recording.c - a recording of foreign bytes: `dwell report` and its like read it, sum it
 * up and print it, in every shape, or say in one sentence why not.
 */
#include <getopt.h>

#include "cli/cmd.h"
#include "fuzz.h"
#include "packed.h"

#define ARGUMENTS_MAX 8

static const char *const reports[][ARGUMENTS_MAX] = {
	{ "report" },
	{ "info" },
	{ "report", "--format", "json", "--limit", "0" },
	{ "info", "--format", "json" },
	{ "report", "--tree", "--min", "0" },
	{ "report", "--callers", "--min", "0", "--format", "json" },
	{ "report", "--by", "caller", "--format", "csv" },
	{ "report", "--by", "thread", "--time", "0-1" },
	{ "report", "--by", "process", "--format", "json" },
	{ "report", "--by", "object", "--focus", "*a*", "--hide", "m*" },
	{ "report", "--tree", "--thread", "main", "--format", "csv" },
	{ "diff", "--fail-above", "0" },
	{ "diff", "--by", "stack", "--normalize", "--format", "json" },
	{ "report", "--by", "line", "--sort", "line" },
	{ "annotate", "--asm", "--limit", "0", "*" },
	{ "export", "-f", "callgrind" },
	{ "export", "-f", "callgrind", "--of", "calls" },
	{ "export", "-f", "firefox" },
	{ "export", "-f", "folded", "--threads", "--hide", "m*" },
	{ "export", "-f", "gmon", "-o", "/dev/null" },
	{ "export", "-f", "perf-script" },
	{ "export", "-f", "perfetto" },
	{ "export", "-f", "perfetto", "--timeline" },
	{ "export", "-f", "pprof", "-o", "/dev/null" },
	{ "export", "-f", "speedscope", "--unit", "samples" },
	{ "html", "-o", "-" },
};

static struct fuzz_file file;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = fuzz_file_new();
	/* libFuzzer and the sanitizers keep the descriptor. */
	stdout = stderr = fopen("/dev/null", "w");
	return stdout ? 0 : 1;
}

/* Puts the grains where they belong. */
static void unpack(const uint8_t *bytes, size_t size)
{
	uint64_t offset = 0, end = 0;

	fuzz_file_cut(&file, 0);
	while (size >= PACKED_LENGTH) {
		size_t length = bytes[0] | (size_t)bytes[1] << 8, left = size - PACKED_LENGTH;
		size_t there = length < left ? length : left;

		fuzz_file_write(&file, bytes + PACKED_LENGTH, there, offset);
		end = there < length ? offset + there
				     : offset + packed_grains(length) * RECORD_GRAIN;
		offset += packed_grains(length) * RECORD_GRAIN;
		bytes += PACKED_LENGTH + there;
		size = left - there;
	}
	fuzz_file_cut(&file, end);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const char *const *report;
	char *argv[ARGUMENTS_MAX + 3] = { NULL };
	int argc = 0;

	if (size < PACKED_HEAD)
		return 0;
	report = reports[bytes[0] % (sizeof(reports) / sizeof(reports[0]))];
	/* Verbs are given what main() is, and change nothing of it but the order. */
	for (; report[argc]; argc++)
		argv[argc] = (char *)report[argc];
	argv[argc++] = file.path;
	if (strcmp(argv[0], "diff") == 0)
		argv[argc++] = file.path;
	unpack(bytes + PACKED_HEAD, size - PACKED_HEAD);
	/* getopt begins anew. */
	optind = 0;
	if (strcmp(argv[0], "info") == 0)
		cmd_info(argc, argv);
	else if (strcmp(argv[0], "diff") == 0)
		cmd_diff(argc, argv);
	else if (strcmp(argv[0], "annotate") == 0)
		cmd_annotate(argc, argv);
	else if (strcmp(argv[0], "export") == 0)
		cmd_export(argc, argv);
	else if (strcmp(argv[0], "html") == 0)
		cmd_html(argc, argv);
	else
		cmd_report(argc, argv);
	return 0;
}
