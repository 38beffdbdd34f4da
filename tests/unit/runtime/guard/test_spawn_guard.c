/* SPDX-License-Identifier: MIT
 *
 * test_spawn_guard.c - environments and counts of spawned programs.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "runtime/guard/spawn_guard.c"

#include "emulated.h"
#include "tap.h"

/* ---- a fake successor.c ---- */

static struct {
	bool is_lost; /* it cannot be recorded, so its environment is replaced */
	int counted, failed;
} successor;

static char changed[] = "WHO=changed";

size_t successor_bytes(char *const envp[])
{
	(void)envp;
	return successor.is_lost ? 2 * sizeof(char *) : 0;
}

char **successor_environment(char *const envp[], void *bytes)
{
	char **environment = bytes;

	(void)envp;
	successor.counted++;
	environment[0] = changed;
	environment[1] = NULL;
	return environment;
}

void successor_is_lost(void)
{
	successor.counted++;
}

void successor_failed(void)
{
	successor.failed++;
}

/* ---- the calls ---- */

static char given[] = "WHO=given";
static char *const environment[] = { given, NULL };

static int exit_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Returns 0 if the program gets that environment, else the result of the call. */
static int spawn(spawn_function *call, const char *path, const char *who)
{
	char script[64];
	char *const argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, script, NULL };
	int status, err;
	pid_t child;

	snprintf(script, sizeof(script), "test \"$WHO\" = %s", who);
	err = call(&child, path, NULL, NULL, argv, environment);
	if (err)
		return err;
	waitpid(child, &status, 0);
	return -exit_of(status);
}

static void check(spawn_function *call, const char *path, const char *name)
{
	/* The emulator forks instead, and the parent does not learn of a failure. */
	bool sees_failures = !is_emulated();

	memset(&successor, 0, sizeof(successor));
	ok(spawn(call, path, "given") == 0 && !successor.counted && !successor.failed,
	   "%s(): a program has the environment that it is given", name);
	ok((!sees_failures || spawn(call, "/no/such/program", "given") == ENOENT) &&
		   !successor.failed,
	   "%s(): a missing program is not counted", name);
	successor.is_lost = true;
	ok(spawn(call, path, "changed") == 0 && successor.counted == 1 && !successor.failed,
	   "%s(): a program that cannot be recorded is counted", name);
	ok(!sees_failures || (spawn(call, "/no/such/program", "changed") == ENOENT &&
			      successor.counted == 2 && successor.failed == 1),
	   "%s(): a failed call takes the count back", name);
}

static void shells(void)
{
	char line[8] = "";
	FILE *shell;

	memset(&successor, 0, sizeof(successor));
	ok(system(NULL) != 0 && !successor.counted, "system(NULL) executes nothing");
	ok(exit_of(system("exit 3")) == 3 && successor.counted == 1, "system() is counted");
	shell = popen("echo said", "r");
	ok(shell && fgets(line, sizeof(line), shell) && strcmp(line, "said\n") == 0 &&
		   pclose(shell) == 0 && successor.counted == 2,
	   "and so is popen()");
}

int main(void)
{
	check(posix_spawn, "/bin/sh", "posix_spawn");
	check(posix_spawnp, "sh", "posix_spawnp");
	shells();
	return tap_done();
}
