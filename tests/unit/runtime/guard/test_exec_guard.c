/* SPDX-License-Identifier: MIT
 *
 * test_exec_guard.c - each of the exec functions executes the given program, with the given
 * arguments and environment; before that the clock stops, and if it fails, continues.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/guard/exec_guard.c"

#include "emulated.h"
#include "tap.h"

/* ---- the clock and the environment ---- */

static struct {
	bool changes; /* the environment is replaced */
	int stopped, paused, settled, resumed, restarted;
	int asked, failed;
} fake;

void roster_pause(void)
{
	fake.paused++;
}

void roster_resume(void)
{
	fake.resumed++;
}

void sampler_settle(void)
{
	fake.settled++;
}

void sampler_before_exec(void)
{
	fake.stopped++;
}

void sampler_after_failed_exec(void)
{
	fake.restarted++;
}

static char changed[] = "WHO=changed";

static size_t fake_bytes(char *const envp[])
{
	(void)envp;
	fake.asked++;
	return fake.changes ? 2 * sizeof(char *) : 0;
}

static char **fake_make(char *const envp[], void *bytes)
{
	char **made = bytes;

	(void)envp;
	made[0] = changed;
	made[1] = NULL;
	return made;
}

static void fake_failed(void)
{
	fake.failed++;
}

static const struct exec_environment fake_environment = { fake_bytes, fake_make, fake_failed };

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

/* Returns whether the kernel executes a program by its descriptor or by name. Where it starts an
 * emulator for the program, that cannot open a descriptor which exec has closed. */
static bool executes(bool by_descriptor)
{
	int status = -1, fd = by_descriptor ? open("/bin/true", O_RDONLY | O_CLOEXEC) : AT_FDCWD;
	pid_t child = fork();

	if (child == 0) {
		syscall(SYS_execveat, fd, by_descriptor ? "" : "/bin/true", arguments, environment,
			by_descriptor ? AT_EMPTY_PATH : 0);
		_exit(1);
	}
	waitpid(child, &status, 0);
	if (by_descriptor)
		close(fd);
	return status == 0;
}

static bool cannot_be_tried(void (*call)(void))
{
	return is_emulated() && ((call == by_execveat && !executes(false)) ||
				 (call == by_fexecve && !executes(true)));
}

static void all_functions(void)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (cannot_be_tried(functions[i].call)) {
			skip(functions[i].name, "execveat() does not start emulated programs so");
			continue;
		}
		fake.changes = false;
		ok(says(functions[i].call, functions[i].who), "%s() passes its environment: %s",
		   functions[i].name, functions[i].who);
		fake.changes = true;
		ok(says(functions[i].call, "changed"), "%s() gets a replaced environment",
		   functions[i].name);
	}
}

static bool clock_was_stopped(int times)
{
	return fake.paused == times && fake.settled == times && fake.stopped == times &&
	       fake.resumed == times && fake.restarted == times;
}

static void failures(void)
{
	fake.changes = false;
	errno = 0;
	ok(execl("/no/such/program", "none", (char *)NULL) == -1 && errno == ENOENT &&
		   clock_was_stopped(1) && fake.asked == 1 && !fake.failed,
	   "a failed exec sets errno, and the clock goes on");
	fake.changes = true;
	ok(execle("/no/such/program", "none", (char *)NULL, environment) == -1 && errno == ENOENT &&
		   clock_was_stopped(2) && fake.asked == 2 && fake.failed == 1,
	   "an environment that was replaced is taken back");
	ok(exec_guard_in_place(), "the guard is in place");
}

static void without_environment(void)
{
	fake.changes = true;
	ok(says(by_execve, "given"),
	   "without another environment, programs get what they are given");
}

int main(void)
{
	setenv("WHO", "own", 1);
	without_environment();
	exec_guard_use(&fake_environment);
	all_functions();
	failures();
	return tap_done();
}
