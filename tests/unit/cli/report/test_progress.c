/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/report/progress.h"
#include "tap.h"

static int stderr_before;
static FILE *kept;

static void keep_stderr(void)
{
	fflush(stderr);
	kept = tmpfile();
	stderr_before = dup(STDERR_FILENO);
	if (!kept || stderr_before < 0 || dup2(fileno(kept), STDERR_FILENO) < 0)
		bail_out("stderr cannot be redirected");
}

static void is_said(const char *expected, const char *what)
{
	char text[256] = "";

	fflush(stderr);
	dup2(stderr_before, STDERR_FILENO);
	close(stderr_before);
	rewind(kept);
	text[fread(text, 1, sizeof(text) - 1, kept)] = '\0';
	fclose(kept);
	if (!ok(strcmp(text, expected) == 0, "%s", what))
		note("said '%s'", text);
}

/* Returns work that began long ago, or just now, on a terminal. */
static struct progress work(bool is_long)
{
	struct progress progress = progress_begin("working");

	progress.is_wanted = true;
	progress.start_s += is_long ? -3600 : 3600;
	return progress;
}

static void lines(void)
{
	struct progress progress;

	keep_stderr();
	progress = work(true);
	progress_step(&progress, 1, 4);
	progress.last_s += 3600;
	progress_step(&progress, 2, 4);
	progress.last_s -= 7200;
	progress_step(&progress, 5, 4);
	progress_end(&progress);
	progress_end(&progress);
	is_said("\rworking: 25%\033[K\rworking: 100%\033[K\r\033[K",
		"a line, which changes not too often, and is taken away once");
	keep_stderr();
	progress = work(false);
	progress_step(&progress, 1, 4);
	progress_end(&progress);
	is_said("", "nothing of what takes no time");
	keep_stderr();
	progress = work(true);
	progress_step(&progress, 0, 0);
	progress_end(&progress);
	is_said("", "nothing of what is nothing");
	keep_stderr();
	progress = progress_begin("working");
	progress.start_s -= 3600;
	progress_step(&progress, 1, 4);
	progress_end(&progress);
	is_said("", "and nothing where there is no terminal");
}

int main(void)
{
	lines();
	return tap_done();
}
