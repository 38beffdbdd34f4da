/* SPDX-License-Identifier: MIT */
#include "got_objects.h"

#include "entry_objects.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sys.h"

struct walked *got_objects;

static bool is_late; /* see got_objects_are_late() */

bool got_object_is_named(const struct walked *object, const char *soname)
{
	const char *slash = strrchr(object->path, '/');

	return strcmp(object->image.soname, soname) == 0 ||
	       strcmp(slash ? slash + 1 : object->path, soname) == 0;
}

struct walked *got_object_named(const char *soname)
{
	struct walked *object = got_objects;

	while (object && !got_object_is_named(object, soname))
		object = object->next;
	return object;
}

struct walked *got_object_at(uintptr_t address)
{
	struct walked *object = got_objects;

	while (object && address - object->image.start >= object->image.end - object->image.start)
		object = object->next;
	return object;
}

struct walked *got_object_of(const struct link_map *map)
{
	struct walked *object = got_objects;

	/* The linker may reuse the memory of a map that was freed. */
	while (object && !(object->image.map == map && object->bias == map->l_addr &&
			   (image_is_program(map) || !*map->l_name ||
			    strcmp(object->path, map->l_name) == 0)))
		object = object->next;
	return object;
}

/* Returns the program's path as reported by the kernel. */
static char *program_path(void)
{
	char path[PATH_MAX];
	long length = SYS4(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", path, sizeof(path));

	return length < 0 ? NULL : strndup(path, (size_t)length);
}

char *got_object_path(const struct link_map *map, const struct image *image)
{
	if (image_is_program(map))
		return program_path();
	return strdup(*map->l_name ? map->l_name : image->soname);
}

void got_object_free(struct walked *object)
{
	entry_objects_unpatch(object);
	free(object->path);
	free(object->patches);
	free(object);
}

bool got_object_keep(struct walked *object, void **place, void *after)
{
	size_t count = object->patch_count;
	struct patch *patches = object->patches;

	/* At every power of 2, there is no more room. */
	if ((count & (count - 1)) == 0)
		patches = realloc(patches, (count ? 2 * count : 1) * sizeof(*patches));
	if (!patches)
		return false;
	object->patches = patches;
	patches[object->patch_count++] = (struct patch){ place, *place, after };
	return true;
}

void got_object_restore(struct walked *object)
{
	for (size_t i = 0; i < object->patch_count; i++) {
		struct patch *patch = &object->patches[i];

		__atomic_compare_exchange_n(patch->place, &patch->after, patch->before, false,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	}
}

static bool is_within(const struct image *image, const void *address)
{
	return (uintptr_t)address - image->start < image->end - image->start;
}

/* Looks in objects loaded with the program, which are global, or in all objects. */
static void *look_up(const char *name, const char *version, bool early)
{
	void *found = NULL;

	for (struct walked *object = got_objects; object && !found; object = object->next)
		if ((object->is_early || !early) && object->image.symbols &&
		    !(is_late && object->is_runtime))
			found = image_look_up(&object->image, name, version);
	return found;
}

#define OWN_MAX 128

static void add_own(struct walked **own, size_t *count, struct walked *object)
{
	for (size_t i = 0; i < *count; i++)
		if (own[i] == object)
			return;
	if (object && *count < OWN_MAX)
		own[(*count)++] = object;
}

/* Looks in the dependencies of an object: itself, its needed objects, theirs, in this order. */
static void *look_up_own(struct walked *object, const char *name, const char *version)
{
	struct walked *own[OWN_MAX] = { object };
	size_t count = 1;

	for (size_t i = 0; i < count; i++) {
		const struct image *image = &own[i]->image;
		void *found = image->symbols ? image_look_up(image, name, version) : NULL;

		if (found)
			return found;
		for (const ElfW(Dyn) *entry = image->map->l_ld; entry->d_tag != DT_NULL; entry++)
			if (entry->d_tag == DT_NEEDED)
				add_own(own, &count,
					got_object_named(image->strings + entry->d_un.d_val));
	}
	return NULL;
}

/* Returns what the linker would find for a symbol of the object at its first call: global objects
 * come before the object's dependencies, or after them with RTLD_DEEPBIND. NULL: nothing. Does not
 * call the linker: that is not allowed before all objects are initialised, nor under a lock. */
static void *find_first(struct walked *object, size_t symbol, const char *name)
{
	const struct image *image = &object->image;
	bool is_import = image->symbols[symbol].st_shndx == SHN_UNDEF;
	const char *version =
		is_import ? image_needed_version(image, symbol) : image_version(image, symbol);
	void *found = object->is_deep ? look_up_own(object, name, version) : NULL;

	if (!found)
		found = look_up(name, version, true);
	if (!found && !object->is_early)
		found = look_up_own(object, name, version);
	return found ? found : look_up(name, version, false);
}

/* Returns whether no object defines another function of that name than `found`: it is not known in
 * which of them the linker would look first. */
static bool is_only(const void *found, const char *name, const char *version)
{
	for (struct walked *object = got_objects; object; object = object->next) {
		const void *other = object->image.symbols && !object->is_runtime
					    ? image_look_up(&object->image, name, version)
					    : found;

		if (other && other != found)
			return false;
	}
	return true;
}

/* Does the same in a process that runs already. Objects that were loaded with the program look in
 * each other first; which of the others are global is not known. */
static void *find_late(struct walked *object, size_t symbol, const char *name)
{
	const struct image *image = &object->image;
	bool is_import = image->symbols[symbol].st_shndx == SHN_UNDEF;
	const char *version =
		is_import ? image_needed_version(image, symbol) : image_version(image, symbol);
	void *found = object->is_early ? look_up(name, version, true) : NULL;

	if (found)
		return found;
	found = find_first(object, symbol, name);
	return found && is_only(found, name, version) ? found : NULL;
}

void *got_target_of(struct walked *object, size_t symbol, void *stored, const char *name)
{
	const struct image *image = &object->image;
	const ElfW(Sym) *own = &image->symbols[symbol];

	if (!is_within(image, stored) ||
	    (own->st_shndx != SHN_UNDEF && (uintptr_t)stored == image->map->l_addr + own->st_value))
		return stored;
	return is_late ? find_late(object, symbol, name) : find_first(object, symbol, name);
}

static void mark_needed(const struct walked *object, bool *changed)
{
	const struct image *image = &object->image;

	for (const ElfW(Dyn) *entry = image->map->l_ld;
	     image->strings && entry && entry->d_tag != DT_NULL; entry++) {
		struct walked *needed =
			entry->d_tag == DT_NEEDED
				? got_object_named(image->strings + entry->d_un.d_val)
				: NULL;

		if (needed && !needed->is_early) {
			needed->is_early = true;
			*changed = true;
		}
	}
}

/* The linker's list begins with the program, preloaded objects and all that they need; the last of
 * these is found by what the program needs. */
void got_objects_are_late(void)
{
	struct walked *last = got_objects;
	bool changed = true;

	is_late = true;
	for (struct walked *object = got_objects; object; object = object->next)
		object->is_early = image_is_program(object->image.map);
	while (changed) {
		changed = false;
		for (struct walked *object = got_objects; object; object = object->next)
			if (object->is_early)
				mark_needed(object, &changed);
	}
	for (struct walked *object = got_objects; object; object = object->next)
		if (object->is_early)
			last = object;
	for (struct walked *object = got_objects; object && object != last; object = object->next)
		object->is_early = true;
}
