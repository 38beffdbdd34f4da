/* SPDX-License-Identifier: MIT
 *
 * exec_plain.c - what libprofil does before exec: its clock stops. The next program is none of its
 * business.
 */
#include "exec_clock.h"
#include "exec_hooks.h"

size_t exec_begins(char *const envp[])
{
	(void)envp;
	exec_clock_stop();
	return 0;
}

char **exec_environment(char *const envp[], void *bytes)
{
	(void)bytes;
	return (char **)envp;
}

void exec_failed(bool is_other)
{
	(void)is_other;
	exec_clock_resume();
}
