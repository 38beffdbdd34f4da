/* SPDX-License-Identifier: MIT
 *
 * test_bind.c - the redirectors of functions while libraries are opened and closed.
 */
#include <inttypes.h>
#include "../../apart.h"
#include "runtime/calls/arena.h"
#include "runtime/calls/bind.h"
#include "runtime/calls/callers.h"
#include "runtime/calls/process.h"
#include "runtime/calls/start.h"
#include "runtime/calls/threads.h"
#include "wrapped.h"

/* Replaces start.c, threads.c and arena.S: no function is called here, and no process forks. */
char arch_redirectors[FUNCTIONS_MAX][FUNCTION_BYTES];
_Alignas(65536) struct callee calls_functions[FUNCTIONS_MAX];

/* Replaces callers.c: no call has a caller. */
void callers_reset(void)
{
}

static uint32_t object_of(uintptr_t address)
{
	uintptr_t start;

	return bind_object_of(address, &start);
}

static unsigned pieces_left = 3;

/* Replaces arena.c: there is memory for so many pieces of redirectors beside the first. */
bool arena_map_again(const void *code, void *place, size_t bytes)
{
	(void)bytes;
	return code == (const void *)arch_redirectors && place != (const void *)arch_redirectors &&
	       pieces_left-- != 0;
}

static void way_in(void)
{
}

void (*start_way_in(const struct callee *function))(void)
{
	(void)function;
	return way_in;
}

void threads_after_fork(void)
{
}

static void begin(void)
{
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
	room_hold();
	unlink(wrapped.path);
	process_start(false);
}

/* Registers an object of 64 KB. */
static uint32_t object_at(const char *path, const char *soname, uintptr_t bias)
{
	return dwell_calls_object(&(struct runtime_object){ .path = path,
							    .soname = soname,
							    .bias = bias,
							    .start = bias,
							    .end = bias + 0x10000 });
}

static void *bind_at(uint32_t object, const char *symbol, const char *version, uintptr_t target)
{
	return dwell_calls_bind(&(struct runtime_function){
		.target = (void *)target, .object = object, .symbol = symbol, .version = version });
}

static uintptr_t target_of(const void *redirector)
{
	return (uintptr_t)calls_functions[wrapped_id(redirector)].target;
}

/* Returns the item of the function or object with that number; NULL: none. */
static const void *item_of(uint32_t kind, uint32_t id)
{
	size_t size;
	const char *bytes = recording_map(&size);

	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));) {
		if (segment->kind != RECORD_PROCESS && segment->kind != RECORD_NAMES)
			continue;
		for (const struct record_item *item = NULL; (item = item_next(segment, item));)
			if (item->kind == kind &&
			    (kind == RECORD_FUNCTION
				     ? ((const struct record_function *)item)->id == id
				     : ((const struct record_object *)item)->id == id))
				return item;
	}
	return NULL;
}

static const struct record_function *function_of(const void *redirector)
{
	return item_of(RECORD_FUNCTION, wrapped_id(redirector));
}

static void one_function(void)
{
	const struct record_function *seen;
	const struct record_object *object;
	uint32_t library;
	void *first;

	begin();
	library = object_at("/lib/libone.so", "libone.so.1", 0x100000);
	first = bind_at(library, "one", "V1", 0x100040);
	ok(first == arch_redirectors[wrapped_id(first)] && wrapped_id(first) != 0,
	   "a function has a redirector, but for the first, which is kept");
	ok(bind_at(library, "one", "V1", 0x100040) == first, "the same one the next time");
	ok(bind_at(library, "alias", "", 0x100040) == first, "and by any other name");
	ok(target_of(first) == 0x100040 && calls_functions[wrapped_id(first)].enter == way_in,
	   "it leads to the function");
	ok(calls_state.entry.process->bindings == 3, "how often it was handed out is counted");
	seen = function_of(first);
	ok(seen && seen->object == library && seen->address == 0x40 && !strcmp(seen->text, "one") &&
		   !strcmp(seen->text + 4, "V1"),
	   "the recording has its object, its address there, its name and its version");
	object = item_of(RECORD_OBJECT, library);
	ok(object && object->bias == 0x100000 && !strcmp(object->text, "/lib/libone.so") &&
		   !strcmp(object->text + 15, "libone.so.1"),
	   "and the object's path and soname");
}

static void names_and_versions(void)
{
	uint32_t first, second;
	void *old, *new, *other;

	begin();
	first = object_at("/lib/libone.so", "libone.so.1", 0x100000);
	second = object_at("/lib/libtwo.so", "libtwo.so.1", 0x200000);
	old = bind_at(first, "one", "V1", 0x100040);
	new = bind_at(first, "one", "V2", 0x100080);
	other = bind_at(second, "one", "V1", 0x200040);
	ok(first != second, "two libraries are two");
	ok(old != new &&target_of(old) == 0x100040 && target_of(new) == 0x100080,
	   "two versions of one function stay apart");
	ok(other != old && target_of(other) == 0x200040, "so do two libraries' of the same name");
	ok(object_at("/lib/libone.so", "libone.so.2", 0x300000) != first &&
		   object_at("/other/libone.so", "libone.so.1", 0x400000) != first,
	   "an object is its path and its soname");
}

/* The result of an IFUNC may have two addresses under one name. */
static void one_name_for_two(void)
{
	uint32_t library;
	void *first, *second;

	begin();
	library = object_at("/lib/libone.so", "", 0x100000);
	first = bind_at(library, "one", "V1", 0x100040);
	second = bind_at(library, "one", "V1", 0x100080);
	ok(first != second && target_of(first) == 0x100040 && target_of(second) == 0x100080,
	   "two functions of one name keep each its own");
	ok(bind_at(library, "one", "V1", 0x100040) == first &&
		   bind_at(library, "one", "V1", 0x100080) == second,
	   "also the next time");
}

static void closed_and_opened(void)
{
	const struct record_function *seen;
	uint32_t library, other;
	void *first, *second, *later;

	begin();
	library = object_at("/lib/libone.so", "", 0x100000);
	other = object_at("/lib/libtwo.so", "", 0x200000);
	first = bind_at(library, "one", "V1", 0x100040);
	second = bind_at(other, "two", "", 0x200040);
	dwell_calls_forget(library);
	ok(target_of(first) == 0x100040, "a library that is closed can still be called");
	ok(bind_at(other, "two", "", 0x200040) == second, "others are as they were");
	ok(object_at("/lib/libone.so", "", 0x500000) == library, "it comes back under its number");
	ok(bind_at(library, "one", "V1", 0x500040) == first && target_of(first) == 0x500040,
	   "its function has the same redirector, which leads to where it is now");
	dwell_calls_forget(library);
	second = bind_at(library, "one", "V2", 0x5000c0);
	ok(second != first && target_of(first) == 0x500040,
	   "another version of it has one of its own");
	ok(bind_at(library, "one", "V1", 0x500040) == first, "and it keeps its own");
	later = bind_at(library, "later", "", 0x500080);
	seen = function_of(later);
	ok(seen && seen->address == 0x80, "a function that is new has its address in the object");
	if (seen)
		note("%#" PRIx64, seen->address);
}

/* Another library takes the place of a closed one. */
static void in_its_place(void)
{
	uint32_t library, other;
	void *first, *second;

	begin();
	library = object_at("/lib/libone.so", "", 0x100000);
	first = bind_at(library, "one", "", 0x100040);
	dwell_calls_forget(library);
	other = object_at("/lib/libtwo.so", "", 0x100000);
	second = bind_at(other, "two", "", 0x100040);
	ok(second != first && !strcmp(function_of(second)->text, "two"),
	   "a function that is where another one was is not taken for it");
	ok(object_of(0x100040) == other, "nor is its library");
	dwell_calls_forget(other);
	ok(object_at("/lib/libone.so", "", 0x100000) == library &&
		   bind_at(library, "one", "", 0x100040) == first,
	   "when that one is back, it is itself");
}

static void many_times(void)
{
	bool same = true, back = true;
	void *first;

	begin();
	first = bind_at(object_at("/lib/libone.so", "", 0x100000), "one", "", 0x100040);
	for (uintptr_t i = 1; i < 20000; i++) {
		uintptr_t bias = 0x100000 + i * 0x10000;
		uint32_t library;

		dwell_calls_forget(0);
		library = object_at("/lib/libone.so", "", bias);
		same = library == 0 && same;
		back = bind_at(library, "one", "", bias + 0x40) == first &&
		       target_of(first) == bias + 0x40 && back;
	}
	ok(same && back, "a library that comes and goes 20000 times keeps its redirectors");
	ok(calls_state.function_count == 1 && calls_state.object_count == 1,
	   "and is in the recording once");
}

static void whose_address(void)
{
	uint32_t first, second;

	begin();
	ok(object_of(0x100000) == RECORD_NO_CALLER, "without objects an address has no object");
	first = object_at("/lib/libone.so", "", 0x100000);
	second = object_at("/lib/libtwo.so", "", 0x200000);
	ok(object_of(0x100000) == first && object_of(0x10ffff) == first,
	   "an object's first and last byte are its own");
	ok(object_of(0x0fffff) == RECORD_NO_CALLER && object_of(0x110000) == RECORD_NO_CALLER,
	   "bytes around it are not");
	ok(object_of(0x208000) == second, "each object has its own");
	ok(object_of(0) == RECORD_NO_CALLER && object_of(UINTPTR_MAX) == RECORD_NO_CALLER,
	   "no address is too odd to ask for");
	bind_at(second, "two", "", 0x200040);
	ok(bind_provider_of(1) == second, "a function's object is known by its number");
	dwell_calls_forget(first);
	ok(object_of(0x100040) == RECORD_NO_CALLER, "one that was closed has nothing");
	dwell_calls_forget(77);
	ok(object_of(0x200040) == second, "closing what was never there changes nothing");
}

#define ALL (4 * FUNCTIONS_FILE)

static void all_there_are(void)
{
	const uintptr_t bias = 0x10000000;
	bool each = true, found = true;
	uint32_t library;
	char name[16];
	void *one_more;

	begin();
	library = dwell_calls_object(&(struct runtime_object){ .path = "/lib/liball.so",
							       .soname = "",
							       .bias = bias,
							       .start = bias,
							       .end = 2 * bias });
	/* The first one is never handed out. */
	for (uint32_t i = 1; i < ALL; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		each = bind_at(library, name, "", bias + 16 * i) == arch_redirectors[i] && each;
	}
	ok(each, "%d functions have each a redirector", ALL - 1);
	ok(calls_state.entry.process->lost_functions == 0, "none is lost");
	one_more = bind_at(library, "one_more", "", bias);
	ok(one_more == (void *)bias, "one more is handed out as it is, without memory for it");
	ok(calls_state.entry.process->lost_functions == 1, "and counted as lost");
	for (uint32_t i = 1; i < ALL; i++)
		found = target_of(arch_redirectors[i]) == bias + 16 * i &&
			bind_at(library, "", "", bias + 16 * i) == arch_redirectors[i] && found;
	ok(found, "all of the others are found again");
	ok(bind_at(77, "no_object", "", bias - 16) == (void *)(bias - 16),
	   "a function of no object is handed out as it is");
}

static void few_take_little(void)
{
	begin();
	bind_at(object_at("/lib/libone.so", "", 0x100000), "one", "", 0x100040);
	ok(calls_state.function_room == FUNCTIONS_FILE && pieces_left == 3,
	   "a program with few functions needs no more than is in the file");
}

static void long_names(void)
{
	static char name[200000], path[4096];
	uint32_t library;
	void *function;

	begin();
	memset(name, 'n', sizeof(name) - 1);
	memset(path, '/', sizeof(path) - 1);
	library = object_at(path, path, 0x100000);
	function = bind_at(library, name, name, 0x100040);
	ok(library == 0 && function_of(function) && !strcmp(function_of(function)->text, name) &&
		   !strcmp(function_of(function)->text + sizeof(name), name),
	   "names may be as long as they like");
	ok(bind_at(library, "short", "", 0x100080) != function, "and others follow");
}

int main(void)
{
	apart("one function", one_function);
	apart("names and versions", names_and_versions);
	apart("one name for two", one_name_for_two);
	apart("closed and opened", closed_and_opened);
	apart("in its place", in_its_place);
	apart("many times", many_times);
	apart("whose address", whose_address);
	apart("all there are", all_there_are);
	apart("few take little", few_take_little);
	apart("long names", long_names);
	return tap_done();
}
