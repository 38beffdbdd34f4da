/* SPDX-License-Identifier: MIT
 *
 * sees_resolvers_library.c - see sees_resolvers.h. It is linked so that it has the addresses of its
 * own functions without the linker.
 */
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "sees_resolvers.h"

#define NAME(resolver) "given_" #resolver
#define GIVEN(resolver)                                                                            \
	static int given_##resolver(int x)                                                         \
	{                                                                                          \
		return x + (int)sizeof(NAME(resolver));                                            \
	}
EACH(GIVEN)
GIVEN(nested)

static int given_made(int x)
{
	return x + 1000;
}

#define MADE_BYTES 64

/* Returns a copy of given_made() that is in no object. */
static void *make(void)
{
	static char *made;

	if (made)
		return made;
	made = mmap(NULL, MADE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(made, (const void *)given_made, MADE_BYTES);
	__builtin___clear_cache(made, made + MADE_BYTES);
	mprotect(made, MADE_BYTES, PROT_READ | PROT_EXEC);
	return made;
}

static void *find(const char *resolver, const char *name)
{
	if (strcmp(name, "given_nested") == 0)
		return (void *)given_nested;
	if (strcmp(name, "given_made") == 0)
		return make();
	if (strcmp(name, "vkGetDeviceProcAddr") == 0)
		return (void *)vkGetDeviceProcAddr;
	if (strcmp(name, "cuGetProcAddress") == 0)
		return (void *)cuGetProcAddress_v2;
#define TRY(other)                                                                                 \
	if (strcmp(resolver, #other) == 0 && strcmp(name, NAME(other)) == 0)                       \
		return (void *)given_##other;
	EACH(TRY)
	return NULL;
}

static int place_it(const char *resolver, const char *name, void **place, int version,
		    uint64_t flags)
{
	void *found = name && version == VERSION && flags == FLAGS ? find(resolver, name) : NULL;

	if (!found)
		return STATUS_UNKNOWN;
	*place = found;
	return 0;
}

#define DEFINE_OF_VERSION(resolver)                                                                \
	HEAD_OF_VERSION(resolver)                                                                  \
	{                                                                                          \
		return place_it(#resolver, name, place, version, flags);                           \
	}
#define DEFINE_OF_VERSION_AND_STATUS(resolver)                                                     \
	HEAD_OF_VERSION_AND_STATUS(resolver)                                                       \
	{                                                                                          \
		*status = 1;                                                                       \
		return place_it(#resolver, name, place, version, flags);                           \
	}
#define DEFINE_OF_STATUS(resolver)                                                                 \
	HEAD_OF_STATUS(resolver)                                                                   \
	{                                                                                          \
		*status = 1;                                                                       \
		return place_it(#resolver, name, place, VERSION, flags);                           \
	}
#define DEFINE_OF_NAME(resolver)                                                                   \
	HEAD_OF_NAME(resolver)                                                                     \
	{                                                                                          \
		return find(#resolver, name);                                                      \
	}
#define DEFINE_OF_HANDLE(resolver)                                                                 \
	HEAD_OF_HANDLE(resolver)                                                                   \
	{                                                                                          \
		return handle ? NULL : find(#resolver, name);                                      \
	}
OF_VERSION(DEFINE_OF_VERSION)
OF_VERSION_AND_STATUS(DEFINE_OF_VERSION_AND_STATUS)
OF_STATUS(DEFINE_OF_STATUS)
OF_NAME(DEFINE_OF_NAME)
OF_HANDLE(DEFINE_OF_HANDLE)
