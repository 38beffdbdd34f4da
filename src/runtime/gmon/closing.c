/* SPDX-License-Identifier: MIT
 *
 * closing.c - stands in front of libc's dlclose(): what it unmaps may have something else in its
 * place soon, which counts for itself.
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
	/* What is called of it may have been called for the first time since we last looked. */
	objects_look_now();
	result = libc(handle);
	objects_look_now();
	return result;
}
