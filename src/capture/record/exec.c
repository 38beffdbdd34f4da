/* SPDX-License-Identifier: MIT
 *
 * exec.c - what libdwell-record.so does before exec.
 */
#include "capture/exec_clock.h"
#include "capture/exec_hooks.h"
#include "capture/successor.h"

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
