/* SPDX-License-Identifier: MIT
 *
 * fuzz_recording.c - a recording of foreign bytes: `dwell report` and its like read it, sum it
 * up and print it, in every shape, or say in one sentence why not.
 */
#include <getopt.h>

#include "../tests/unit/recordings.h"
#include "cli/cmd.h"
#include "fuzz.h"
#include "packed.h"
#include "recording/make/cut.h"

#define ARGUMENTS_MAX 8

/* Stand for the file itself, and for one that is written. */
#define RECORDING "RECORDING"
#define ARCHIVE   "ARCHIVE"

/* Stand for valid recordings that the file is merged with. */
#define PLAIN    "PLAIN"
#define ARCHIVED "ARCHIVED"

/* Stands for no verb: pieces are cut from the file. */
#define CUT "CUT"

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
	{ "export", "-f", "folded", "--of", "calls" },
	{ "export", "-f", "gmon", "-o", "/dev/null" },
	{ "export", "-f", "perf-script" },
	{ "export", "-f", "perfetto" },
	{ "export", "-f", "perfetto", "--timeline" },
	{ "export", "-f", "pprof", "-o", "/dev/null" },
	{ "export", "-f", "speedscope", "--unit", "samples" },
	{ "html", "-o", "-" },
	{ "html", "-o", "-", "--diff", RECORDING },
	{ "html", "-o", "-", "--no-source", "--time", "0-1" },
	{ "annotate", "--format", "json", "--limit", "0", "*" },
	{ "export", "-f", "json" },
	{ "export", "-f", "csv" },
	{ "archive", "-q", "--force", "-o", ARCHIVE },
	{ "merge", "-q", "--force", "-o", ARCHIVE, PLAIN },
	{ "merge", "-q", "--force", "-o", ARCHIVE, ARCHIVED },
	{ CUT },
	{ "report", "--by", "rank" },
	{ "report", "--imbalance", "--by", "host", "--format", "json" },
};

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} verbs[] = {
	{ "annotate", cmd_annotate }, { "archive", cmd_archive }, { "diff", cmd_diff },
	{ "export", cmd_export },     { "html", cmd_html },       { "info", cmd_info },
	{ "merge", cmd_merge },       { "report", cmd_report },
};

static struct fuzz_file file;
static struct recording plain, archived;

/* In memory, where there is such a folder. */
static char folder[] = "/dev/shm/dwell-fuzz-XXXXXX";
static char archive[sizeof(folder) + 8];

static void remove_folder(void)
{
	unlink(archive);
	rmdir(folder);
}

static void make_folder(void)
{
	if (!mkdtemp(folder))
		fuzz_need(mkdtemp(strcpy(folder, "/tmp/dwell-fuzz-XXXXXX")) != NULL,
			  "a folder cannot be made");
	snprintf(archive, sizeof(archive), "%s/archive", folder);
	atexit(remove_folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	file = fuzz_file_new();
	make_folder();
	plain = recordings_both();
	archived = recordings_archive();
	/* They are of another machine than the seeds, so that times are converted. */
	recording_header(&plain)->boot_id[0] = recording_header(&archived)->boot_id[0] = 1;
	recording_file(&plain, plain.size);
	recording_file(&archived, archived.size);
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

/* Verbs are given what main() is, and change nothing of it but the order. */
static void run_verb(const char *const *words, char *path)
{
	char *argv[ARGUMENTS_MAX + 3] = { NULL };
	int argc = 0;

	for (; words[argc]; argc++) {
		argv[argc] = (char *)words[argc];
		if (strcmp(words[argc], RECORDING) == 0)
			argv[argc] = path;
		if (strcmp(words[argc], ARCHIVE) == 0)
			argv[argc] = archive;
		if (strcmp(words[argc], PLAIN) == 0)
			argv[argc] = plain.path;
		if (strcmp(words[argc], ARCHIVED) == 0)
			argv[argc] = archived.path;
	}
	argv[argc++] = path;
	if (strcmp(argv[0], "diff") == 0)
		argv[argc++] = path;
	/* getopt begins anew. */
	optind = 0;
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (strcmp(verbs[i].name, argv[0]) == 0)
			verbs[i].run(argc, argv);
}

/* Cuts pieces from the file as if it were being written. The last one is left in place of an
 * archive. */
static void cut_pieces(void)
{
	struct cut cut = { .fd = file.fd, .path = file.path, .writers = FINISH_TARGETS };
	struct err err;

	for (int i = 0; i < 3; i++)
		cut_take(&cut, archive, i == 2, &err);
	cut_close(&cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const char *const again[] = { "report", "--by", "line", NULL };
	const char *const *report;

	if (size < PACKED_HEAD)
		return 0;
	report = reports[bytes[0] % (sizeof(reports) / sizeof(reports[0]))];
	unpack(bytes + PACKED_HEAD, size - PACKED_HEAD);
	if (strcmp(report[0], CUT) == 0)
		cut_pieces();
	else
		run_verb(report, file.path);
	/* A written file is a recording as well. */
	if (access(archive, F_OK) == 0) {
		run_verb(again, archive);
		unlink(archive);
	}
	return 0;
}
