/* SPDX-License-Identifier: MIT */
#include "got.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "choice.h"
#include "entry_objects.h"
#include "found.h"
#include "got_dl.h"
#include "got_objects.h"
#include "resolvers.h"
#include "runtime.h"
#include "unwinders.h"
#include "runtime/process/link_maps.h"
#include "runtime/process/mutex.h"
#include "runtime/guard/phdr_guard.h"
#include "runtime/process/probe.h"
#include "recording/format.h"
#include "relocations.h"
#include "sys.h"

#ifndef RTLD_DEEPBIND
#define RTLD_DEEPBIND 0 /* not supported by every linker */
#endif

/* The mode of objects that are loaded with the program, before they are initialised. */
#define GOT_EARLY -1

/* In the order in which the linker has loaded them. While the linker's list is walked,
 * dl_iterate_phdr() holds the linker's own lock as well, glibc's all the time and musl's between
 * objects; glibc's is always taken before ours. No other function of the linker is called while
 * ours is held. */
static struct walked **objects_end = &got_objects;
static uint32_t lock;

/* This library was loaded into a process that runs. Code of the program may have read any pointer
 * already, and may keep any that it reads now, so only the PLT's entries are rewritten, and what
 * resolvers hand out is left alone. */
static bool is_late;

/* Never closed. Functions of ours that interpose libc's are reported as libc's. */
static struct walked *libc;

/* Returns whether entries are patched. Tables lead to functions of ours only then, which notice
 * that objects are opened. */
static bool is_by_entry(void)
{
	return choice_flags() & RECORD_VIA_ENTRY;
}

static struct spec_subject subject_of(const struct walked *object)
{
	return (struct spec_subject){ .soname = object->image.soname, .path = object->path };
}

/* Returns the object that a function is reported for. */
static struct walked *named_after(struct walked *definer)
{
	return definer->is_runtime && libc ? libc : definer;
}

/* Returns the replacement for a function of the definer; symbol is its number, or 0. In an object
 * whose calls are not observed, it replaces only the functions that we need to intercept; where
 * pointers are compared, see symbolic.h, only those and resolvers. */
static void *replacement(struct walked *definer, void *target, size_t symbol, const char *name,
			 bool is_caller, bool is_compared)
{
	struct walked *provider = named_after(definer);
	struct spec_subject subject = subject_of(provider);
	bool is_seen = is_caller && !is_by_entry();
	uint32_t resolver = is_seen && !is_late ? resolvers_find(name) : 0;
	void *ours = is_late ? NULL : got_dl_replacement(name);
	bool is_chosen;

	if (provider->id == UINT32_MAX)
		return target;
	subject.symbol = name;
	is_chosen = is_seen && (resolver || !is_compared) && choice_has(&subject);
	if (!resolver && !is_chosen)
		return ours ? ours : target;
	return dwell_calls_bind(&(struct runtime_function){
		.target = ours ? ours : target,
		.object = provider->id,
		.flags = resolver || choice_counts_only(&subject) ? RECORD_COUNTED : 0,
		.symbol = name,
		.version = symbol ? image_version(&definer->image, symbol) : "",
		.resolver = resolver,
		.is_unseen = !is_chosen,
	});
}

/* Returns the replacement for `target`, which the linker has found for `name`. */
static void *redirector(bool is_caller, bool is_pointer, void *target, const char *name)
{
	struct walked *definer = got_object_at((uintptr_t)target);
	size_t symbol = definer ? image_find(&definer->image, name, (uintptr_t)target) : 0;

	if (!symbol || !relocation_can_be_wrapped(definer->image.symbols[symbol].st_other))
		return target;
	return replacement(definer, target, symbol, name, is_caller,
			   is_pointer && symbolic_has(&definer->image, &definer->symbolic));
}

static bool stores_function(const struct image *image, const arch_relocation *relocation)
{
	unsigned type = relocation_type(relocation);
	size_t symbol = relocation_symbol(relocation);

	return symbol && !relocation_addend_after(relocation) &&
	       (type == RELOCATION_OF_PLT || relocation_stores_address(type)) &&
	       ELF64_ST_TYPE(image->symbols[symbol].st_info) != STT_OBJECT;
}

/* Puts a redirector into an entry for `symbol` of the object, if its function was chosen. */
static void replace(struct walked *object, const arch_relocation *relocation, void **place)
{
	size_t symbol = relocation_symbol(relocation);
	bool is_pointer = relocation_type(relocation) != RELOCATION_OF_PLT;
	const char *name = image_symbol_name(&object->image, symbol);
	void *found = got_target_of(object, symbol, *place, name);
	void *wanted = found ? redirector(object->is_caller, is_pointer, found, name) : NULL;

	if (found && wanted != found && (!is_late || got_object_keep(object, place, wanted)))
		__atomic_store_n(place, wanted, __ATOMIC_RELEASE);
}

static void walk_table(struct walked *object, const arch_relocation *table, size_t count)
{
	const struct image *image = &object->image;

	for (const arch_relocation *relocation = table; relocation < table + count; relocation++) {
		void **place = (void **)(image->map->l_addr + relocation->r_offset);

		if (stores_function(image, relocation) && *place &&
		    (!is_late || relocation_type(relocation) == RELOCATION_OF_PLT))
			replace(object, relocation, place);
	}
}

/* Walks a copied variable: the program has a copy of a library's variable, and the library uses
 * that one. Pointers to functions in it belong to the library, but are stored in the program. */
static void walk_copy(struct walked *provider, const ElfW(Sym) * variable, uintptr_t copy)
{
	const struct image *image = &provider->image;

	for (size_t i = 0; i < image->relocation_count; i++) {
		const arch_relocation *relocation = &image->relocations[i];
		uintptr_t offset = relocation->r_offset - variable->st_value;
		void **place = (void **)(copy + offset);

		if (offset < variable->st_size && stores_function(image, relocation) && *place)
			replace(provider, relocation, place);
	}
}

static void walk_copies(struct walked *program)
{
	const struct image *image = &program->image;

	for (size_t i = 0; i < image->relocation_count; i++) {
		const arch_relocation *relocation = &image->relocations[i];
		const char *name = image_symbol_name(image, relocation_symbol(relocation));

		if (relocation_type(relocation) != RELOCATION_OF_COPY)
			continue;
		for (struct walked *object = got_objects; object; object = object->next) {
			const ElfW(Sym) *variable =
				object != program ? image_find_variable(&object->image, name)
						  : NULL;

			if (variable)
				walk_copy(object, variable,
					  image->map->l_addr + relocation->r_offset);
		}
	}
}

static void walk_tables(struct walked *object)
{
	const struct image *image = &object->image;

	walk_table(object, image->jumps, image->jump_count);
	walk_table(object, image->relocations, image->relocation_count);
	if (!is_late && object->is_early && image_is_program(image->map))
		walk_copies(object);
}

/* Changes the tables of an object; unseals sealed memory meanwhile. Returns false if another thread
 * is still opening the object: the linker seals its memory last. */
static bool unsealed(struct walked *object, void (*change)(struct walked *))
{
	const struct image *image = &object->image;
	uintptr_t page = getauxval(AT_PAGESZ);
	uintptr_t start = image->sealed & ~(page - 1), end = image->sealed_end & ~(page - 1);

	if (start < end && !object->is_early && probe_writable((void *)start))
		return false;
	if (start < end && sys_mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0)
		return true;
	change(object);
	if (start < end)
		sys_mprotect((void *)start, end - start, PROT_READ);
	return true;
}

static struct walked *add(const struct link_map *map, int mode, const struct dl_phdr_info *info)
{
	struct walked *object = calloc(1, sizeof(*object));
	struct spec_subject subject;

	if (!object)
		return NULL;
	image_read(&object->image, map, info);
	object->path = got_object_path(map, &object->image);
	if (!object->path) {
		free(object);
		return NULL;
	}
	subject = subject_of(object);
	object->bias = map->l_addr;
	object->is_early = mode == GOT_EARLY;
	object->is_deep = !object->is_early && mode & RTLD_DEEPBIND;
	object->is_runtime = choice_is_ours(&subject);
	object->is_ours = choice_is_system(&subject) || object->is_runtime;
	object->is_caller = choice_has_caller(&subject);
	if (got_object_is_named(object, CHOICE_BEHIND))
		libc = object;
	*objects_end = object;
	objects_end = &object->next;
	return object;
}

/* Registers an object. A file that is reopened elsewhere gets its old number again. */
static void make_known(struct walked *object)
{
	object->id = dwell_calls_object(&(struct runtime_object){
		.path = object->path,
		.soname = object->image.soname,
		.bias = object->bias,
		.start = object->image.start,
		.end = object->image.end,
	});
}

static void remove_closed(void)
{
	struct walked **link = &got_objects;

	while (*link) {
		struct walked *object = *link;

		if (object->seen) {
			object->seen = false;
			link = &object->next;
			continue;
		}
		dwell_calls_forget(object->id);
		*link = object->next;
		got_object_free(object);
	}
	objects_end = link;
}

/* A walk of the linker's list in progress. */
struct round {
	int mode;
	bool is_locked;
	bool is_done;
	const struct link_map *map; /* the current one; NULL: none yet */
};

static bool is_left; /* an object was still being opened in the last round */

/* Returns whether the linker's list has changed, by the linker's own counts. */
static bool has_changed(const struct dl_phdr_info *info)
{
	static unsigned long long before;
	unsigned long long now = info->dlpi_adds + info->dlpi_subs;
	bool changed = is_left || now != before;

	before = now;
	return changed;
}

static void see(const struct link_map *map, int mode, const struct dl_phdr_info *info)
{
	struct walked *object = got_object_of(map);

	if (!object)
		object = add(map, mode, info);
	if (object)
		object->seen = true;
}

/* Returns false if another thread is still opening the object. */
static bool wrap_functions(struct walked *object)
{
	bool is_done = true;

	if (is_by_entry() && is_late) {
		if (unwinders_are_in(object))
			unsealed(object, unwinders_redirect);
	} else if (!object->is_ours) {
		is_done = unsealed(object, walk_tables);
	}
	if (is_done && is_by_entry())
		entry_objects_patch(object, is_late);
	return is_done;
}

/* Drops closed objects first: their memory is gone. All others are registered before the first is
 * walked, since their functions are in each other. */
static void finish(struct round *round)
{
	remove_closed();
	for (struct walked *object = got_objects; object; object = object->next)
		if (!object->is_walked)
			make_known(object);
	is_left = false;
	for (struct walked *object = got_objects; object; object = object->next)
		if (!object->is_walked) {
			object->is_walked = wrap_functions(object);
			is_left = is_left || !object->is_walked;
		}
	round->is_done = true;
}

/* Notes one object; called in the order of the list of maps. musl takes its lock only between two
 * objects, so that the next one is complete when it is reported, and one that another thread is
 * about to open is not. */
static int take_one(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct round *round = argument;

	(void)size;
	if (!round->is_locked) {
		mutex_take(&lock);
		round->is_locked = true;
		round->is_done = !has_changed(info);
		round->map = round->is_done ? NULL : link_maps_first();
	} else {
		round->map = round->map->l_next;
	}
	if (!round->map)
		return 1;
	see(round->map, round->mode, info);
	if (!round->map->l_next)
		finish(round);
	return round->is_done;
}

/* libc's own if it is found: an interposer such as a sanitizer's may not be ready when it calls
 * dlsym() itself. */
static int (*iterate)(see_object *, void *) = phdr_guard_iterate;

/* Runs before any constructor: there is one thread. Calls no function of the program. */
void got_begin(void)
{
	void *found;
	struct round round = { .mode = GOT_EARLY };

	dwell_calls_resolving(got_wrap_found);
	for (const struct link_map *map = link_maps_first(); map; map = map->l_next)
		see(map, GOT_EARLY, NULL);
	finish(&round);
	found = libc ? image_look_up(&libc->image, "dl_iterate_phdr", "") : NULL;
	if (found)
		iterate = (int (*)(see_object *, void *))found;
}

void got_walk(int mode)
{
	struct round round = { .mode = mode };
	int saved = errno;

	iterate(take_one, &round);
	/* The object that seemed to come next was not opened after all. */
	if (round.map && !round.is_done)
		finish(&round);
	if (round.is_locked)
		mutex_release(&lock);
	errno = saved;
}

static int begin_late(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct round *round = argument;

	(void)size;
	round->map = round->map ? round->map->l_next : link_maps_first();
	if (!round->map)
		return 1;
	see(round->map, round->mode, info);
	if (!round->map->l_next) {
		got_objects_are_late();
		finish(round);
		if (is_by_entry())
			unwinders_name_ours();
	}
	return round->is_done;
}

void got_begin_late(void)
{
	struct round round = { 0 };

	is_late = true;
	iterate(begin_late, &round);
}

/* Called in the order of the list of maps: glibc holds the linker's lock all the time. */
static int end_late(struct dl_phdr_info *info, size_t size, void *argument)
{
	struct round *round = argument;
	struct walked *object, opened = { 0 };

	(void)size;
	round->map = round->map ? round->map->l_next : link_maps_first();
	object = round->map ? got_object_of(round->map) : NULL;
	if (object && object->patch_count)
		unsealed(object, got_object_restore);
	if (round->map && !object && is_by_entry() && unwinders_are_new(&opened, round->map, info))
		unsealed(&opened, unwinders_restore);
	return !round->map;
}

void got_end_late(void)
{
	struct round round = { 0 };

	iterate(end_late, &round);
}

void got_forget(void)
{
	while (got_objects) {
		struct walked *object = got_objects;

		got_objects = object->next;
		got_object_free(object);
	}
	objects_end = &got_objects;
	libc = NULL;
}

void *got_wrap(void *found, const char *name, const void *caller)
{
	struct walked *object;

	got_walk(0);
	mutex_take(&lock);
	object = got_object_at((uintptr_t)caller);
	found = redirector(!object || object->is_caller, true, found, name);
	mutex_release(&lock);
	return found;
}

static bool find_at(uintptr_t address, struct found_object *found)
{
	struct walked *object = got_object_at(address);

	if (object)
		*found = (struct found_object){ .object = object,
						.image = &object->image,
						.subject = subject_of(object),
						.is_caller = object->is_caller,
						.is_ours = object->is_runtime };
	return object;
}

static void *replace_found(void *object, void *target, size_t symbol, const char *name)
{
	return replacement(object, target, symbol, name, true, false);
}

void *got_wrap_found(const struct runtime_found *found)
{
	static const struct found_list list = { find_at, replace_found };
	void *result;

	got_walk(0);
	mutex_take(&lock);
	result = found_wrap(&list, found);
	mutex_release(&lock);
	return result;
}
