/* SPDX-License-Identifier: MIT
 *
 * exit_guard.c - stands in front of those functions of libc that end the process without exit(),
 * whose destructors would tell. What ends it by a system call of its own, or by a signal, leaves
 * what its threads have used since their last ticks to the tool, which knows the sum.
 *
 * All of it may run in the child of vfork(), where recorder_end() does nothing.
 */
#include <stdlib.h>
#include <unistd.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "recorder.h"
#include "sys.h"

typedef void exit_function(int);

static exit_function *libc_quick_exit;

__attribute__((constructor)) static void find_libc(void)
{
	INTERPOSE_FIND(libc_quick_exit, "quick_exit");
}

__attribute__((destructor)) static void at_exit(void)
{
	recorder_end();
}

EXPORT _Noreturn void _exit(int status)
{
	recorder_end();
	sys_exit_group(status);
}

EXPORT _Noreturn void _Exit(int status)
{
	recorder_end();
	sys_exit_group(status);
}

/* What its handlers use is theirs to tell, by ticks. */
EXPORT _Noreturn void quick_exit(int status)
{
	if (!libc_quick_exit)
		find_libc();
	recorder_end();
	libc_quick_exit(status);
	sys_exit_group(status); /* never: quick_exit() does not return */
}
