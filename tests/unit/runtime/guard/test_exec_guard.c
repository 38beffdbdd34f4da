/* SPDX-License-Identifier: MIT
 *
 * test_exec_guard.c - each of the exec functions executes what it is told, with the arguments and
 * the environment that it is told; before, and if it fails, the hooks are called.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/guard/exec_guard.c"

#include "emulated.h"
#include "tap.h"

/* ---- the hooks ---- */

static struct {
	bool changes; /* the environment becomes another one */
	int begun, failed;
	bool failed_changed;
} hooks;

static char changed[] = "WHO=changed";

size_t exec_begins(char *const envp[])
{
	(void)envp;
	hooks.begun++;
	return hooks.changes ? 2 * sizeof(char *) : 0;
}

char **exec_environment(char *const envp[], void *bytes)
{
	char **environment = bytes;

	(void)envp;
	environment[0] = changed;
	environment[1] = NULL;
	return environment;
}

void exec_failed(bool has_environment)
{
	hooks.failed++;
	hooks.failed_changed = has_environment;
}

/* ---- each function, in a child ---- */

/* Runs as "sh -c SCRIPT name"; prints its environment, name and argument count. */
#define SCRIPT "echo \"$WHO $0 $#\""

static char given[] = "WHO=given";
static char *const environment[] = { given, NULL };
static char *const arguments[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ SCRIPT },
				   (char[]){ "name" }, NULL };

static void by_execve(void)
{
	execve("/bin/sh", arguments, environment);
}

static void by_execvpe(void)
{
	execvpe("sh", arguments, environment);
}

static void by_fexecve(void)
{
	fexecve(open("/bin/sh", O_RDONLY | O_CLOEXEC), arguments, environment);
}

static void by_execveat(void)
{
	execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
}

static void by_execle(void)
{
	execle("/bin/sh", "sh", "-c", SCRIPT, "name", (char *)NULL, environment);
}

static void by_execv(void)
{
	execv("/bin/sh", arguments);
}

static void by_execvp(void)
{
	execvp("sh", arguments);
}

static void by_execl(void)
{
	execl("/bin/sh", "sh", "-c", SCRIPT, "name", (char *)NULL);
}

static void by_execlp(void)
{
	execlp("sh", "sh", "-c", SCRIPT, "name", (char *)NULL);
}

static const struct {
	const char *name;
	void (*call)(void);
	const char *who;
} functions[] = {
	{ "execve", by_execve, "given" },   { "execvpe", by_execvpe, "given" },
	{ "fexecve", by_fexecve, "given" }, { "execveat", by_execveat, "given" },
	{ "execle", by_execle, "given" },   { "execv", by_execv, "own" },
	{ "execvp", by_execvp, "own" },     { "execl", by_execl, "own" },
	{ "execlp", by_execlp, "own" },
};

/* Returns whether the executed program prints this. */
static bool says(void (*call)(void), const char *who)
{
	char text[64] = "", wanted[64];
	int output[2], status;
	ssize_t size;
	pid_t child;

	snprintf(wanted, sizeof(wanted), "%s name 0\n", who);
	if (pipe(output))
		bail_out("there are no pipes");
	child = fork();
	if (child == 0) {
		dup2(output[1], STDOUT_FILENO);
		call();
		_exit(1);
	}
	close(output[1]);
	size = read(output[0], text, sizeof(text) - 1);
	close(output[0]);
	waitpid(child, &status, 0);
	if (status == 0 && size > 0 && strcmp(text, wanted) == 0)
		return true;
	note("status %d: %s", status, text);
	return false;
}

static void all_functions(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (functions[i].call == by_execveat && is_emulated()) {
			skip("execveat()", "the emulator may not know it");
			continue;
		}
		hooks.changes = false;
		ok(says(functions[i].call, functions[i].who), "%s() passes its environment: %s",
		   functions[i].name, functions[i].who);
		hooks.changes = true;
		ok(says(functions[i].call, "changed"), "%s() gets a replaced environment",
		   functions[i].name);
	}
}

static void failures(void)
{
	hooks.changes = false;
	hooks.begun = 0;
	errno = 0;
	ok(execl("/no/such/program", "none", (char *)NULL) == -1 && errno == ENOENT &&
		   hooks.begun == 1 && hooks.failed == 1 && !hooks.failed_changed,
	   "a failed exec sets errno and calls the hook");
	hooks.changes = true;
	ok(execle("/no/such/program", "none", (char *)NULL, environment) == -1 && errno == ENOENT &&
		   hooks.begun == 2 && hooks.failed == 2 && hooks.failed_changed,
	   "the hook learns that the environment was replaced");
	ok(exec_guard_in_place(), "the guard is in place");
}

int main(void)
{
	setenv("WHO", "own", 1);
	all_functions();
	failures();
	return tap_done();
}
