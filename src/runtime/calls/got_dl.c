/* SPDX-License-Identifier: MIT
 *
 * Every `return dlopen(...)` and the like that is to show the real caller must be compiled to a
 * jump.
 */
#include "got_dl.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "got.h"

/* So gcov must not add a counter behind it. */
#define JUMPS __attribute__((no_profile_instrument_function))

/*
 * Returns whether the search depends on the caller. glibc resolves a name without a slash, and
 * variables in it, by the caller; musl by the program.
 */
static bool depends_on_caller(const char *file)
{
#ifdef __GLIBC__
	return file && (!strchr(file, '/') || strchr(file, '$'));
#else
	(void)file;
	return false;
#endif
}

JUMPS static void *got_dlopen(const char *file, int mode)
{
	void *handle;

	if (depends_on_caller(file))
		return dlopen(file, mode);
	handle = dlopen(file, mode);
	got_walk(mode);
	return handle;
}

#ifdef __GLIBC__ /* supports namespaces and versions */
JUMPS static void *got_dlmopen(Lmid_t namespace, const char *file, int mode)
{
	void *handle;

	if (namespace != LM_ID_BASE || depends_on_caller(file))
		return dlmopen(namespace, file, mode);
	handle = dlmopen(namespace, file, mode);
	got_walk(mode);
	return handle;
}

JUMPS static void *got_dlvsym(void *handle, const char *name, const char *version)
{
	void *found = handle == RTLD_NEXT ? NULL : dlvsym(handle, name, version);

	return found ? got_wrap(found, name, __builtin_return_address(0))
		     : dlvsym(handle, name, version);
}

#endif

static int got_dlclose(void *handle)
{
	int result = dlclose(handle);

	got_walk(0);
	return result;
}

/*
 * Looks up a name. RTLD_DEFAULT finds global symbols first, for any caller; only then does the
 * caller matter.
 */
JUMPS static void *got_dlsym(void *handle, const char *name)
{
	void *found = handle == RTLD_NEXT ? NULL : dlsym(handle, name);

	return found ? got_wrap(found, name, __builtin_return_address(0)) : dlsym(handle, name);
}

static const struct {
	const char *name;
	void *ours;
} replaced[] = {
	{ "dlopen", (void *)got_dlopen },   { "dlclose", (void *)got_dlclose },
	{ "dlsym", (void *)got_dlsym },
#ifdef __GLIBC__
	{ "dlmopen", (void *)got_dlmopen }, { "dlvsym", (void *)got_dlvsym },
#endif
};

#define REPLACED (sizeof(replaced) / sizeof(replaced[0]))

void *got_dl_replacement(const char *name)
{
	for (size_t i = 0; name[0] == 'd' && i < REPLACED; i++)
		if (strcmp(replaced[i].name, name) == 0)
			return replaced[i].ours;
	return NULL;
}

const char *got_dl_replaced(const void *address)
{
	for (size_t i = 0; i < REPLACED; i++)
		if (replaced[i].ours == address)
			return replaced[i].name;
	return NULL;
}
