/* SPDX-License-Identifier: MIT
 *
 * closing.c - stands in front of libc's dlclose(): what it unmaps may have something else in its
 * place soon. dlopen() needs nobody in front of it, which would be in its way: code that runs where
 * nothing was tells of itself.
 */
#include <dlfcn.h>

#include "base/export.h"
#include "capture/record/mapped.h"

typedef int close_library(void *);

EXPORT int dlclose(void *handle)
{
	static close_library *libc;
	int result;

	if (!libc)
		libc = (close_library *)dlsym(RTLD_NEXT, "dlclose");
	result = libc(handle);
	mapped_outdated();
	return result;
}
