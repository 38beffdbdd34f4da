/* SPDX-License-Identifier: MIT
 *
 * test_refusal.c - one sentence for each reason why a process cannot be watched.
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/proc.h"
#include "attach/refusal.h"
#include "tap.h"

static void processes(void)
{
	struct proc_stat stat;
	struct err err = { .text = "" };
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	ok(refusal_check(child, &err) == -ESRCH && strstr(err.text, "has ended already"),
	   "one that has ended: %s", err.text);
	waitpid(child, NULL, 0);
	ok(refusal_check(child, &err) == -ESRCH && strstr(err.text, "there is no process"),
	   "one that is not there: %s", err.text);
	ok(refusal_check(-1, &err) == -ESRCH, "no number of a process: %s", err.text);
	ok(refusal_check(getpid(), &err) == 0, "ourselves: nothing to say");
	if (proc_stat(2, &stat) || !stat.is_kernel)
		skip("a thread of the kernel", "there is none here");
	else
		ok(refusal_check(2, &err) == -EINVAL && strstr(err.text, "thread of the kernel"),
		   "a thread of the kernel: %s", err.text);
}

static void answers(void)
{
	static const struct {
		int answer;
		const char *word;
	} all[] = {
		{ -ESRCH, "ended" },
		{ -EMFILE, "ulimit -n" },
		{ -ENOMEM, "memory" },
		{ -EIO, "Input/output error" },
	};
	struct err err = { .text = "" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ok(refusal_explain(all[i].answer, 17, &err) == all[i].answer &&
			   strstr(err.text, all[i].word) && !strchr(err.text, '\n'),
		   "%s", err.text);
	/* Which of the reasons it is depends on the machine; that it is one does not. */
	ok(refusal_explain(-EACCES, 17, &err) < 0 &&
		   (strstr(err.text, "process 17 is not ours") || strstr(err.text, "paranoid") ||
		    strstr(err.text, "seccomp") || strstr(err.text, "kernel has no")),
	   "%s", err.text);
}

int main(void)
{
	processes();
	answers();
	return tap_done();
}
