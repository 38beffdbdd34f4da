/* SPDX-License-Identifier: MIT
 *
 * naming.c - interposes pthread_setname_np(), which calls prctl() inside libc or writes to /proc,
 * for the calling thread or for another one. counter_guard.c interposes prctl() itself.
 */
#include <pthread.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "writers.h"

typedef int name_function(pthread_t, const char *);

static name_function *libc_name;

__attribute__((constructor)) static void find_libc(void)
{
	INTERPOSE_FIND(libc_name, "pthread_setname_np");
}

EXPORT int pthread_setname_np(pthread_t thread, const char *name)
{
	int result;

	if (!libc_name)
		find_libc();
	result = libc_name(thread, name);
	writers_renamed();
	return result;
}
