/* SPDX-License-Identifier: MIT
 *
 * test_resolve.c - functions that hand out functions by name: their arguments and results pass
 * unchanged, but for the function that they have found.
 */
#include <errno.h>

#include "../../apart.h"
#include "runtime/calls/bind.h"
#include "runtime/calls/resolvers.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static int here, there; /* stand for a function, and for its redirector */
static struct runtime_found asked;
static unsigned times;
static void *decision = &there;

static void *decide(const struct runtime_found *found)
{
	asked = *found;
	times++;
	return decision;
}

static void *handle_seen;

/* As vkGetInstanceProcAddr(). */
NOINLINE static void *returns_it(void *handle, const char *name)
{
	handle_seen = handle;
	errno = 77;
	return strcmp(name, "absent") ? &here : NULL;
}

static int status_seen, version_seen;
static uint64_t flags_seen;

/* As cuGetProcAddress_v2(). */
NOINLINE static int places_it(const char *name, void **place, int version, uint64_t flags,
			      int *status)
{
	version_seen = version;
	flags_seen = flags;
	*status = 5;
	if (strcmp(name, "absent") == 0)
		return 500;
	*place = &here;
	return 0;
}

static void *wrap_resolver(void *function, const char *name, bool is_unseen)
{
	return dwell_calls_bind(&(struct runtime_function){ .target = function,
							    .object = wrapped.object,
							    .flags = RECORD_COUNTED,
							    .symbol = name,
							    .version = "",
							    .resolver = resolvers_find(name),
							    .is_unseen = is_unseen });
}

static void *(*wreturns)(void *, const char *);
static int (*wplaces)(const char *, void **, int, uint64_t, int *);

static void begin(bool is_unseen)
{
	wrapped_begin();
	dwell_calls_resolving(decide);
	wreturns = (void *(*)(void *, const char *))wrap_resolver(
		(void *)returns_it, "vkGetInstanceProcAddr", is_unseen);
	wplaces = (int (*)(const char *, void **, int, uint64_t, int *))wrap_resolver(
		(void *)places_it, "cuGetProcAddress_v2", is_unseen);
}

static void returned(void)
{
	begin(false);
	errno = 0;
	ok(wreturns(&handle_seen, "name") == &there, "a function that is returned is replaced");
	ok(handle_seen == &handle_seen && errno == 77, "arguments and errno are the resolver's");
	ok(asked.target == &here && !strcmp(asked.name, "name") &&
		   asked.resolver == (uintptr_t)returns_it &&
		   asked.caller - (uintptr_t)returned < 4096,
	   "the decision is about the function, its name, the resolver and its caller");
	ok(!wreturns(NULL, "absent") && times == 1, "nothing is decided about no function");
}

static void placed(void)
{
	void *place = NULL;

	begin(false);
	ok(wplaces("name", &place, 12000, UINT64_C(0x700000003), &status_seen) == 0 &&
		   place == &there,
	   "a function that is stored is replaced");
	ok(version_seen == 12000 && flags_seen == UINT64_C(0x700000003) && status_seen == 5,
	   "all arguments are passed on");
	place = &place;
	ok(wplaces("absent", &place, 0, 0, &status_seen) == 500 && place == &place && times == 1,
	   "a resolver that fails leaves the place as it is");
}

static void undecided(void)
{
	begin(false);
	decision = NULL;
	ok(wreturns(NULL, "name") == &here, "a function that cannot be wrapped is handed out");
	ok(calls_state.entry.process->lost_functions == 1, "and counted as lost");
	dwell_calls_resolving(NULL);
	ok(wreturns(NULL, "name") == &here && calls_state.entry.process->lost_functions == 1,
	   "without a decision, it is handed out as it is");
}

static void counted(void)
{
	begin(false);
	for (int i = 0; i < 3; i++)
		wreturns(NULL, "name");
	ok(SEEN(wreturns).calls == 3 && SEEN(wreturns).untimed == 3,
	   "a resolver that was chosen is counted");
}

static void unseen(void)
{
	void *again;

	begin(true);
	ok(wreturns(NULL, "name") == &there, "one that was not chosen is intercepted, too");
	ok(SEEN(wreturns).calls == 0 && calls_state.entry.process->bindings == 0, "not counted");
	ok(bind_provider_of(wrapped_id((void *)wreturns)) == wrapped.object, "and has an object");
	dwell_calls_forget(wrapped.object);
	wrapped.object =
		dwell_calls_object(&(struct runtime_object){ .path = "/test", .soname = "" });
	again = wrap_resolver((void *)returns_it, "cuGetProcAddress_v2", true);
	ok(again == (void *)wplaces, "it keeps its redirector if its library is reopened");
	again = wrap_resolver((void *)places_it, "vkGetInstanceProcAddr", true);
	ok(again == (void *)wreturns, "as does each");
	again = wrap_resolver((void *)decide, "vkGetInstanceProcAddr", true);
	ok(again != (void *)wreturns, "another one of that name does not take it");
	for (uintptr_t i = 0; i < 1000; i++)
		wrap_as((char *)returned + i, "", 0);
	ok(wrap_resolver((void *)places_it, "vkGetInstanceProcAddr", true) == (void *)wreturns,
	   "and if there are more functions");
}

static void table(void)
{
	ok(!resolvers_find("vkGetInstanceProcAdd") && !resolvers_find("vkGetInstanceProcAddrs") &&
		   !resolvers_find(""),
	   "a resolver is known by its whole name");
	ok(resolvers_find("eglGetProcAddress") &&
		   !strcmp(resolvers_get(resolvers_find("eglGetProcAddress"))->name,
			   "eglGetProcAddress"),
	   "and has a number");
}

int main(void)
{
	apart("returned", returned);
	apart("placed", placed);
	apart("undecided", undecided);
	apart("counted", counted);
	apart("unseen", unseen);
	apart("table", table);
	return tap_done();
}
