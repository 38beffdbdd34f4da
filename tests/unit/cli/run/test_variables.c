/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/run/variables.h"
#include "tap.h"

static bool is(const struct variables *variables, const char *name, const char *expected)
{
	const char *value = variables_get(variables, name);

	return expected ? value && strcmp(value, expected) == 0 : !value;
}

static void shared(void)
{
	char one[] = "ONE=1", two[] = "TWO=2", third[] = "THREE=3", other[] = "TWO=3";
	char *const mine[] = { one, two, third, NULL }, *const theirs[] = { third, other, one,
									    NULL };
	struct variables left, right;

	if (variables_copy(&left, mine) || variables_copy(&right, theirs))
		bail_out("there is no memory");
	variables_share(&left, &right);
	ok(left.count == 2 && !left.list[2] && is(&left, "ONE", "1") && is(&left, "THREE", "3") &&
		   is(&left, "TWO", NULL),
	   "variables that two lists have in common");
	variables_free(&right);
	variables_share(&left, &right);
	ok(left.count == 0 && !left.list[0], "with none, that is nothing");
	variables_free(&left);
}

/* Runs a program with an environment of its own, and reads that from outside. */
static void of_processes(void)
{
	char name[] = "cat", rank[] = "PMI_RANK=3", text[] = "TEXT=a=b";
	char *const words[] = { name, NULL }, *const own[] = { rank, text, NULL };
	struct variables variables;
	int ends[2], status;
	pid_t child;

	if (pipe(ends) || (child = fork()) < 0)
		bail_out("no child");
	if (child == 0) {
		dup2(ends[0], STDIN_FILENO);
		close(ends[1]);
		execve("/bin/cat", words, own);
		_exit(127);
	}
	/* It has its own environment as soon as it has run exec(). */
	for (int tries = 0; tries < 1000; tries++) {
		status = variables_read(&variables, child);
		if (is(&variables, "PMI_RANK", "3"))
			break;
		variables_free(&variables);
		usleep(10000);
	}
	ok(status == 0 && variables.count == 2 && is(&variables, "PMI_RANK", "3") &&
		   is(&variables, "TEXT", "a=b"),
	   "the environment of a process");
	variables_free(&variables);
	close(ends[1]);
	waitpid(child, NULL, 0);
	ok(variables_read(&variables, child) == -ENOENT && variables.count == 0 && variables.list,
	   "one that is gone has none");
	variables_free(&variables);
}

int main(void)
{
	char first[] = "ONE=1", longer[] = "ONES=11", empty[] = "NONE=", strange[] = "WORD";
	char *const own[] = { first, longer, empty, strange, NULL };
	struct variables variables;

	ok(variables_copy(&variables, own) == 0 && variables.count == 4 && !variables.list[4],
	   "as many as there were");
	first[4] = '2';
	ok(is(&variables, "ONE", "1"), "a copy is a copy");
	ok(is(&variables, "ONES", "11") && is(&variables, "NONE", "") &&
		   is(&variables, "ON", NULL) && is(&variables, "WORD", NULL),
	   "names are whole");
	ok(variables_set(&variables, "ONES", "1=1") == 0 && is(&variables, "ONES", "1=1") &&
		   is(&variables, "ONE", "1") && variables.count == 4,
	   "one is replaced");
	for (int i = 0; i < 20; i++) {
		char name[] = { 'X', (char)('A' + i), '\0' };

		if (variables_set(&variables, name, "y"))
			bail_out("there is no memory");
	}
	ok(variables.count == 24 && !variables.list[24] && is(&variables, "XT", "y") &&
		   strcmp(variables.list[3], "WORD") == 0,
	   "and others come behind the last");
	variables_free(&variables);
	ok(!variables.list, "then there are none");
	shared();
	of_processes();
	return tap_done();
}
