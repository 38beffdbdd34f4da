/* SPDX-License-Identifier: MIT
 *
 * test_memory.c - verbs that read a recording of deep or of many stacks take no more memory than
 * docs/MEMORY.md allows for a file of that size.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "../../recordings.h"
#include "model/profile/profile.h"
#include "sanitized.h"
#include "verbs.h"

/*
 * Memory for a recording. docs/MEMORY.md allows 96 MB at first. These files are small, so 32 MB
 * take their place: 40 bytes more per byte of a file are noticed, as with files of 2 MB.
 */
#define BYTES_AT_FIRST ((rlim_t)32 << 20)
#define BYTES_A_BYTE   128
#define DEEP_FRAMES    20000
#define LISTED_FRAMES  5000 /* for formats that list each frame of each stack */

static FILE *nowhere;

static uint64_t count_samples(const char *path)
{
	struct reader reader;
	struct err err;
	uint64_t count;

	if (reader_open(&reader, path, &err))
		bail_out(err.text);
	count = profile_sum(&reader).samples;
	reader_close(&reader);
	return count;
}

static const char *const tables[][VERBS_ARGUMENTS] = {
	{ "report" },
	{ "info" },
	{ "report", "--tree" },
	{ "report", "--callers" },
	{ "report", "--by", "line" },
	{ "html", "-o", "-" },
	{ "diff" },
	{ "diff", "--by", "stack" },
	{ "export", "-f", "callgrind", "-o", "-" },
	{ "export", "-f", "gmon", "-o", "-" },
	{ NULL },
};

static const char *const lists[][VERBS_ARGUMENTS] = {
	{ "export", "-f", "pprof", "-o", "-" },
	{ "export", "-f", "perfetto", "-o", "-" },
	{ NULL },
};

/*
 * Runs it in a process of its own, with the memory that is allowed for a file of that size.
 */
static bool is_bounded(const char *const *way, const char *path, size_t bytes)
{
	/* Two of them are compared. */
	size_t files = strcmp(way[0], "diff") == 0 ? 2 : 1;
	struct rlimit limit = { BYTES_AT_FIRST + BYTES_A_BYTE * bytes * files, RLIM_INFINITY };
	int status = -1;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		stdout = nowhere;
		_exit(setrlimit(RLIMIT_AS, &limit) || verbs_run(way, path));
	}
	waitpid(child, &status, 0);
	if (status)
		note("%s %s %s: status %d", way[0], way[1] ? way[1] : "", way[2] ? way[2] : "",
		     status);
	return status == 0;
}

static void bounded(const char *const (*few)[VERBS_ARGUMENTS], uint32_t count, uint32_t depth,
		    const char *what)
{
	/* gmon.out needs a file that exists. */
	char *program = realpath("/proc/self/exe", NULL);
	struct recording recording = recordings_deep(program, count, depth);
	const char *path = recording_file(&recording, recording.size);
	bool are_bounded = count_samples(path) == count;

	for (; (*few)[0]; few++)
		are_bounded = is_bounded(*few, path, recording.size) && are_bounded;
	ok(are_bounded, "%s, %zu kB, in %d bytes for each", what, recording.size / 1024,
	   BYTES_A_BYTE);
	recording_free(&recording);
	free(program);
}

int main(void)
{
	nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		bail_out("there is no /dev/null");
	if (IS_SANITIZED) {
		skip("memory for deep stacks", "the sanitizer takes address space of its own");
		return tap_done();
	}
	bounded(tables, DEEP_FRAMES, 4000, "many leaves of a deep stack");
	bounded(tables, DEEP_FRAMES, DEEP_FRAMES, "a stack deeper than any");
	bounded(tables, DEEP_FRAMES, 2, "many shallow stacks");
	bounded(lists, LISTED_FRAMES, 4000, "each frame of many leaves");
	return tap_done();
}
