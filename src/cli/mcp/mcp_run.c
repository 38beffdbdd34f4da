/* SPDX-License-Identifier: MIT */
#include "mcp_run.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cmd.h"

extern char **environ;

/* Where a command's output goes: files without a name. */
struct outputs {
	int out, error;
};

static int spawn(char *const argv[], const struct outputs *outputs, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int code = posix_spawn_file_actions_init(&actions);

	if (code)
		return -code;
	code = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, outputs->out, STDOUT_FILENO);
	if (!code)
		code = posix_spawn_file_actions_adddup2(&actions, outputs->error, STDERR_FILENO);
	if (!code)
		code = posix_spawn(pid, "/proc/self/exe", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return -code;
}

static int wait_for(pid_t pid, int *wait_status)
{
	while (waitpid(pid, wait_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Reads a file whole; NULL: errno says why not. */
static char *contents(int file)
{
	struct stat stat;
	char *text;
	ssize_t bytes;

	if (fstat(file, &stat))
		return NULL;
	if (stat.st_size > MCP_OUTPUT_MAX) {
		errno = EFBIG;
		return NULL;
	}
	text = malloc((size_t)stat.st_size + 1);
	if (!text)
		return NULL;
	bytes = pread(file, text, (size_t)stat.st_size, 0);
	text[bytes > 0 ? bytes : 0] = '\0';
	return text;
}

/* A status of CMD_UNMATCHED is an answer as well: the sentence on stderr says that nothing matched,
 * or stdout has what did. */
static int collect(const struct outputs *outputs, int wait_status, struct mcp_output *output)
{
	char *out = contents(outputs->out);
	int code = errno;

	output->is_error = !WIFEXITED(wait_status) || WEXITSTATUS(wait_status) != 0;
	if (!out && code == EFBIG) {
		output->is_error = true;
		output->text = strdup("the output is too long: use limit, min, focus or time to "
				      "select less");
	} else if (out && *out &&
		   (!output->is_error || WEXITSTATUS(wait_status) == CMD_UNMATCHED)) {
		output->text = out;
		return 0;
	} else {
		output->text = contents(outputs->error);
	}
	free(out);
	if (WIFSIGNALED(wait_status)) {
		free(output->text);
		if (asprintf(&output->text, "dwell was killed by signal %d",
			     WTERMSIG(wait_status)) < 0)
			output->text = NULL;
	}
	return output->text ? 0 : -ENOMEM;
}

static int run_into(char *const argv[], const struct outputs *outputs, struct mcp_output *output)
{
	pid_t pid;
	int wait_status = 0, status = spawn(argv, outputs, &pid);

	if (!status)
		status = wait_for(pid, &wait_status);
	return status ? status : collect(outputs, wait_status, output);
}

int mcp_run_dwell(char *const argv[], struct mcp_output *output)
{
	struct outputs outputs = {
		.out = memfd_create("out", MFD_CLOEXEC),
		.error = memfd_create("error", MFD_CLOEXEC),
	};
	int status = outputs.out < 0 || outputs.error < 0 ? -errno : 0;

	if (!status)
		status = run_into(argv, &outputs, output);
	if (outputs.out >= 0)
		close(outputs.out);
	if (outputs.error >= 0)
		close(outputs.error);
	return status;
}
