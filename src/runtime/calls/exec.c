/* SPDX-License-Identifier: MIT
 *
 * exec.c - what libdwell-calls.so does before exec.
 */
#include "begin.h"
#include "runtime/guard/exec_hooks.h"
#include "runtime/guard/successor.h"

size_t exec_begins(char *const envp[])
{
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
}

/* libdwell-record.so has the same guards. */
bool successor_is_ours(void)
{
	return !dwell_record_begin;
}
