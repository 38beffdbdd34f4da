/* SPDX-License-Identifier: MIT
 *
 * calls_host.c - libcalls_host.so: opens plugins by their bare name, which only its own RUNPATH
 * leads to; and makes calls before main() has begun and after it has ended.
 */
#include <dlfcn.h>

#include "calls_host.h"
#include "calls_lib.h"

void *host_open(const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

__attribute__((constructor)) static void begin(void)
{
	for (int i = 0; i < HOST_CALLS_AT_BEGIN; i++)
		lib_add(i, 1);
}

__attribute__((destructor)) static void end(void)
{
	for (int i = 0; i < HOST_CALLS_AT_END; i++)
		lib_add(i, 1);
}
