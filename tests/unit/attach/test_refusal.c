/* SPDX-License-Identifier: MIT
 *
 * test_refusal.c - one sentence for each reason why a process cannot be watched.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
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
	ok(refusal_check(child, &err) == -ESRCH && strstr(err.text, "has already exited"),
	   "one that has ended: %s", err.text);
	waitpid(child, NULL, 0);
	ok(refusal_check(child, &err) == -ESRCH && strstr(err.text, "no such process"),
	   "one that is not there: %s", err.text);
	ok(refusal_check(-1, &err) == -ESRCH, "no number of a process: %s", err.text);
	ok(refusal_check(getpid(), &err) == 0, "ourselves: nothing to say");
	if (proc_stat(2, &stat) || !stat.is_kernel)
		skip("a thread of the kernel", "there is none here");
	else
		ok(refusal_check(2, &err) == -EINVAL && strstr(err.text, "it is a kernel thread"),
		   "a thread of the kernel: %s", err.text);
}

static void codes(void)
{
	static const struct {
		int answer;
		const char *word;
	} all[] = {
		{ -ESRCH, "has already exited" },
		{ -EMFILE, "ulimit -n" },
		{ -ENOMEM, "memory" },
		{ -EIO, "Input/output error" },
	};
	struct err err = { .text = "" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ok(refusal_explain(all[i].answer, 17, &err) == all[i].answer &&
			   strstr(err.text, all[i].word) && !strchr(err.text, '\n'),
		   "%s", err.text);
	/* The reason depends on the machine; there must be one. */
	ok(refusal_explain(-EACCES, 17, &err) < 0 &&
		   (strstr(err.text, "cannot record process 17: that needs its user or root") ||
		    strstr(err.text, "paranoid") || strstr(err.text, "seccomp") ||
		    strstr(err.text, "kernel has no")),
	   "%s", err.text);
}

/* Forbids perf_event_open(), as containers do. */
static bool forbid_perf(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static void forbidden(void)
{
	struct err err = { .text = "" };

	if (proc_setting("/proc/sys/kernel/perf_event_paranoid") > 2 || !forbid_perf())
		skip("a seccomp filter", "there is none here, or it is not what refuses");
	else
		ok(refusal_explain(-EPERM, 17, &err) == -EACCES && strstr(err.text, "seccomp"),
		   "%s", err.text);
}

int main(void)
{
	processes();
	codes();
	forbidden();
	return tap_done();
}
