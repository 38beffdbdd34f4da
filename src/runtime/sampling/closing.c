/* SPDX-License-Identifier: MIT
 *
 * closing.c - stands in front of libc's dlclose(): what it unmaps may have something else in its
 * place soon. dlopen() needs nobody in front of it, which would be in its way: code that runs where
 * nothing was tells of itself.
 *
 * It does so when it is sampled. Where functions count their calls, the recording must know of what
 * was called and never sampled: so it looks before a library is closed, and at the end.
 */
#include <dlfcn.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "runtime/gmon/arcs.h"
#include "mapped.h"

typedef int close_library(void *);

static bool are_counted(void)
{
	return arcs_next_thread(NULL);
}

__attribute__((destructor)) static void at_the_end(void)
{
	if (are_counted())
		mapped_renew();
}

EXPORT int dlclose(void *handle)
{
	static close_library *libc;
	int result;

	if (!libc)
		INTERPOSE_FIND(libc, "dlclose");
	if (are_counted())
		mapped_renew();
	result = libc(handle);
	mapped_outdated();
	if (are_counted())
		mapped_renew_if_outdated();
	return result;
}
