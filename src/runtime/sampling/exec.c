/* SPDX-License-Identifier: MIT
 *
 * exec.c - what libdwell-record.so does before exec.
 */
#include "runtime/guard/exec_clock.h"
#include "runtime/guard/exec_hooks.h"
#include "runtime/guard/successor.h"

size_t exec_begins(char *const envp[])
{
	exec_clock_stop();
	return successor_bytes(envp);
}

char **exec_environment(char *const envp[], void *bytes)
{
	return successor_environment(envp, bytes);
}

void exec_failed(bool is_other)
{
	if (is_other)
		successor_failed();
	exec_clock_resume();
}

bool successor_is_ours(void)
{
	return true;
}
