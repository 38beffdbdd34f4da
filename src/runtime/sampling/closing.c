/* SPDX-License-Identifier: MIT
 *
 * closing.c - interposes libc's dlclose(): another object may soon be mapped where it unmaps one.
 * dlopen() is not interposed, which would be in its way: code at an unknown address is noticed when
 * it is sampled.
 *
 * If functions count their calls, the recording must contain objects that were called and never
 * sampled: so it looks before a library is closed, and at the end.
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
