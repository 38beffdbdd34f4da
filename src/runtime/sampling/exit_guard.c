/* SPDX-License-Identifier: MIT
 *
 * exit_guard.c - interposes the functions of libc that end the process without exit(), whose
 * destructors would run recorder_end(). If a process ends by a raw system call, or by a signal, the
 * time that its threads have used since their last ticks is left to the tool, which has the sum.
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

/* Ticks account for the time of its handlers. */
EXPORT _Noreturn void quick_exit(int status)
{
	if (!libc_quick_exit)
		find_libc();
	recorder_end();
	libc_quick_exit(status);
	sys_exit_group(status); /* never: quick_exit() does not return */
}
