/* SPDX-License-Identifier: MIT
 *
 * sees_resolvers.c - functions that the program asks a library for, by every resolver that dwell
 * knows: called by name, found by dlsym(), and handed out by each other. "chosen" as an argument:
 * the resolvers themselves are chosen, too.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>

#include "sees.h"
#include "sees_resolvers.h"

#define LIBRARY "libsees_resolvers_library.so"

static int status, result;
static void *place;

static void call(void *found, int count)
{
	for (int i = 0; i < count; i++)
		result += ((sees_function)found)(i);
}

static int is_chosen;

/* Each has a number of calls of its own, so that it shows which one was not seen. */
static void given(const char *resolver, int failed, void *found)
{
	static int count = 2;
	char name[64];

	if (!failed)
		call(found, count);
	snprintf(name, sizeof(name), "given_%s", resolver);
	expect(name, LIBRARY, (unsigned long)count++);
	if (is_chosen)
		expect(resolver, LIBRARY, 1);
}

static void each(void)
{
	int failed;

#define ASK_OF_VERSION(resolver)                                                                   \
	failed = resolver("given_" #resolver, &place, VERSION, FLAGS);                             \
	given(#resolver, failed, place);
#define ASK_OF_VERSION_AND_STATUS(resolver)                                                        \
	failed = resolver("given_" #resolver, &place, VERSION, FLAGS, &status);                    \
	given(#resolver, failed, place);
#define ASK_OF_STATUS(resolver)                                                                    \
	failed = resolver("given_" #resolver, &place, FLAGS, &status);                             \
	given(#resolver, failed, place);
#define ASK_OF_NAME(resolver)   given(#resolver, 0, resolver("given_" #resolver));
#define ASK_OF_HANDLE(resolver) given(#resolver, 0, resolver(NULL, "given_" #resolver));
	OF_VERSION(ASK_OF_VERSION)
	OF_VERSION_AND_STATUS(ASK_OF_VERSION_AND_STATUS)
	OF_STATUS(ASK_OF_STATUS)
	OF_NAME(ASK_OF_NAME)
	OF_HANDLE(ASK_OF_HANDLE)
}

typedef void *(*by_return)(void *, const char *);
typedef int (*by_place)(const char *, void **, int, uint64_t, int *);

/* Resolvers that come from the linker, and from other resolvers. */
static void nested(void)
{
	by_return first = (by_return)dlsym(RTLD_DEFAULT, "vkGetInstanceProcAddr");
	by_return second = (by_return)first(NULL, "vkGetDeviceProcAddr");
	by_place third = (by_place)second(NULL, "cuGetProcAddress");

	if (third("given_nested", &place, VERSION, FLAGS, &status) == 0)
		call(place, 40);
	expect("given_nested", LIBRARY, 40);
	printf("the same every time: %d\n", place == first(NULL, "given_nested"));
	printf("the resolvers, too: %d\n", first == vkGetInstanceProcAddr &&
						   second == vkGetDeviceProcAddr &&
						   third == cuGetProcAddress_v2);
}

/* Asks for a function that is not found, and for one that is in no object. */
static void odd(void)
{
	place = &place;
	errno = 77;
	printf("unknown: %p %d", eglGetProcAddress("absent"),
	       cuGetProcAddress("absent", &place, VERSION, FLAGS));
	printf(" %s, errno %d\n", place == (void *)&place ? "untouched" : "written", errno);
	printf("no name: %d\n", cuGetProcAddress(NULL, NULL, VERSION, FLAGS));
	call(vkGetInstanceProcAddr(NULL, "given_made"), 3);
}

int main(int argc, char **argv)
{
	(void)argv;
	is_chosen = argc > 1;
	each();
	if (!is_chosen) {
		nested();
		odd();
	}
	printf("result %d\n", result);
	return 0;
}
