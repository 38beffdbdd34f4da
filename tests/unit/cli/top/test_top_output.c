/* SPDX-License-Identifier: MIT
 *
 * test_top_output.c - output of a command under dwell top: its last lines are kept.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/top/top_output.h"
#include "tap.h"

static struct top_output output;

static void say(const char *text)
{
	if (write(output.write_end, text, strlen(text)) != (ssize_t)strlen(text))
		bail_out("the pipe is full");
	top_output_read(&output);
}

static bool is_line(size_t from_end, const char *wanted)
{
	size_t length;
	const char *line = top_output_line(&output, from_end, &length);

	if (!wanted || !line)
		return !wanted && !line;
	return length == strlen(wanted) && strncmp(line, wanted, length) == 0;
}

static void lines(void)
{
	struct err err;

	if (top_output_open(&output, NULL, &err))
		bail_out(err.text);
	top_output_read(&output);
	ok(is_line(0, NULL), "nothing was written yet");
	say("one\n");
	ok(is_line(0, "one") && is_line(1, NULL), "a line");
	say("\ntwo\nthr");
	ok(is_line(0, "thr") && is_line(1, "two") && is_line(2, "") && is_line(3, "one") &&
		   is_line(4, NULL),
	   "the last one may be without an end, and one may be empty");
	say("ee\n");
	ok(is_line(0, "three"), "it goes on");
	top_output_close(&output);
}

static void much(void)
{
	char line[64];
	struct err err;

	if (top_output_open(&output, NULL, &err))
		bail_out(err.text);
	for (int i = 0; i < 100000; i++) {
		snprintf(line, sizeof(line), "line %d\n", i);
		say(line);
	}
	ok(is_line(0, "line 99999") && is_line(1000, "line 98999"), "of much, the last is kept");
	ok(output.size <= TOP_OUTPUT_BYTES, "and no more than there is room for");
	top_output_close(&output);
}

/* Runs in a child, as a command is started. */
static void taken(void)
{
	struct err err;
	pid_t pid;
	int status = -1;

	if (top_output_open(&output, NULL, &err))
		bail_out(err.text);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		char byte;
		int failed = top_output_take(&output, false);

		failed |= read(STDIN_FILENO, &byte, 1) != 0;
		failed |= write(STDOUT_FILENO, "out\n", 4) != 4;
		failed |= write(STDERR_FILENO, "err\n", 4) != 4;
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	top_output_read(&output);
	ok(status == 0 && is_line(0, "err") && is_line(1, "out"),
	   "both outputs go there, and there is no input");
	top_output_close(&output);
	ok(top_output_open(&output, "/does/not/exist", &err) == -ENOENT && *err.text,
	   "a log that cannot be written is reported");
}

int main(void)
{
	lines();
	much();
	taken();
	return tap_done();
}
