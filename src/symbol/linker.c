/* SPDX-License-Identifier: MIT */
#include "symbol/linker.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"

#define TRACE "LD_TRACE_LOADED_OBJECTS=1"

static int append(char ***names, size_t *count, const char *name, size_t length)
{
	char **more = vec_room(*names, *count, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*names = more;
	more[*count] = strndup(name, length);
	if (!more[*count])
		return -ENOMEM;
	++*count;
	return 0;
}

/*
 * Takes one line of the output. Lines about a library begin with a tab:
 *
 *	libz.so.1 => /lib/libz.so.1 (0x00007f1b3c426000)
 *	libq.so.1 => not found
 *	/lib64/ld-linux-x86-64.so.2 (0x00007f1b3c475000)
 *	linux-vdso.so.1 (0x00007f1b3c473000)
 *
 * The last one has no file; symbols are not looked up in it.
 */
static int take_line(struct linker_result *result, const char *line)
{
	const char *arrow = strstr(line, " => ");
	const char *path = arrow ? arrow + 4 : line + 1;
	const char *end = NULL;

	if (*line != '\t')
		return 0;
	if (arrow && strncmp(path, "not found", 9) == 0)
		return append(&result->missing, &result->missing_count, line + 1,
			      (size_t)(arrow - line - 1));
	for (const char *at = path; (at = strstr(at, " (0x")); at++)
		end = at;
	if (!end || !memchr(path, '/', (size_t)(end - path)))
		return 0;
	return append(&result->loaded, &result->loaded_count, path, (size_t)(end - path));
}

/* Reads to the end. Any other line is an error message: the first one is kept in `complaint`. */
static int take_lines(struct linker_result *result, FILE *stream, char **complaint)
{
	char *line = NULL;
	size_t room = 0;
	int status = 0;

	while (getline(&line, &room, stream) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!status)
			status = take_line(result, line);
		if (*line != '\t' && !*complaint)
			*complaint = strdup(line);
	}
	free(line);
	return status;
}

/* Starts a program whose output and errors both go into the pipe. */
static int spawn(pid_t *pid, char *const argv[], char *const environment[], const int pipe_fds[2])
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return -error;
	error = posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDOUT_FILENO);
	if (!error)
		error = posix_spawn_file_actions_adddup2(&actions, pipe_fds[1], STDERR_FILENO);
	if (!error)
		error = posix_spawn(pid, argv[0], &actions, NULL, argv, environment);
	posix_spawn_file_actions_destroy(&actions);
	return -error;
}

/* Returns the exit status of the program, or -errno; its output is in result and complaint. */
static int run(struct linker_result *result, char *const argv[], char *const environment[],
	       char **complaint)
{
	int pipe_fds[2], status, wait_status;
	FILE *stream;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return -errno;
	status = spawn(&pid, argv, environment, pipe_fds);
	close(pipe_fds[1]);
	if (status) {
		close(pipe_fds[0]);
		return status;
	}
	stream = fdopen(pipe_fds[0], "r");
	status = stream ? take_lines(result, stream, complaint) : -errno;
	if (stream)
		fclose(stream);
	else
		close(pipe_fds[0]);
	while (waitpid(pid, &wait_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	if (status)
		return status;
	return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Returns our environment plus TRACE. Free with free(), but not its strings. */
static char **tracing_environment(void)
{
	static char trace[] = TRACE;
	size_t count = 0;
	char **copy;

	while (environ[count])
		count++;
	copy = calloc(count + 2, sizeof(*copy));
	if (copy) {
		memcpy(copy, environ, count * sizeof(*copy));
		copy[count] = trace;
	}
	return copy;
}

/* Traces the file. --list stops at the first missing library. glibc's linker continues if TRACE is
 * set, but other linkers would then run the file: so TRACE is used only with a linker that supports
 * --verify, as glibc's does. */
static int trace(struct linker_result *result, char *interp, char *file, char **complaint)
{
	char verify[] = "--verify", *ignored = NULL;
	int status = run(result, (char *[]){ interp, verify, file, NULL }, environ, &ignored);
	char **environment;

	free(ignored);
	/* 2: valid, but a library. */
	if (status != 0 && status != 2)
		return status;
	environment = tracing_environment();
	if (!environment)
		return -ENOMEM;
	free(*complaint);
	*complaint = NULL;
	status = run(result, (char *[]){ interp, file, NULL }, environment, complaint);
	free(environment);
	return status;
}

static int ask(struct linker_result *result, char *interp, char *file, char **complaint)
{
	char list[] = "--list";
	int status = run(result, (char *[]){ interp, list, file, NULL }, environ, complaint);

	if (status <= 0)
		return status;
	linker_free(result);
	return trace(result, interp, file, complaint);
}

int linker_ask(struct linker_result *result, const char *interp, const char *file, struct err *err)
{
	char *interp_copy = strdup(interp), *file_copy = strdup(file), *complaint = NULL;
	int status = -ENOMEM;

	if (interp_copy && file_copy)
		status = ask(result, interp_copy, file_copy, &complaint);
	if (status < 0)
		status = err_set(err, -status, "cannot run the dynamic linker '%s' of '%s': %s",
				 interp, file, strerror(-status));
	else if (status > 0)
		status = err_set(err, EINVAL, "the dynamic linker '%s' cannot load '%s': %s",
				 interp, file, complaint ? complaint : "it gave no reason");
	free(complaint);
	free(interp_copy);
	free(file_copy);
	return status;
}

static void free_names(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

void linker_free(struct linker_result *result)
{
	free_names(result->loaded, result->loaded_count);
	free_names(result->missing, result->missing_count);
	*result = (struct linker_result){ 0 };
}
