/* SPDX-License-Identifier: MIT
 *
 * closing.c - interposes libc's dlclose(): another object may soon be mapped where it unmaps one,
 * and must be counted by itself.
 */
#include <dlfcn.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "objects.h"

typedef int close_library(void *);

EXPORT int dlclose(void *handle)
{
	static close_library *libc;
	int result;

	if (!libc)
		INTERPOSE_FIND(libc, "dlclose");
	/* Functions of it may have been called for the first time since the last look. */
	objects_look_now();
	result = libc(handle);
	objects_look_now();
	return result;
}
