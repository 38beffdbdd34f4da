/* SPDX-License-Identifier: MIT */
#include "unwinders.h"

#include <string.h>
#include <sys/auxv.h>

#include "choice.h"
#include "entry_objects.h"
#include "runtime/guard/address_guard.h"
#include "runtime/guard/phdr_guard.h"

/* Returns our function in the place of a function of that name; NULL: there is none. The program's
 * own calls of dl_iterate_phdr() stay: their callbacks may take any time, and threads have to leave
 * this library at the end. */
static void *ours_for(const struct walked *object, const char *name)
{
	if (strcmp(name, "_dl_find_object") == 0)
		return address_guard_finder();
	if (strcmp(name, "dl_iterate_phdr") == 0 &&
	    address_guard_is_unwinder((const void *)object->image.start))
		return phdr_guard_reporter();
	return NULL;
}

/* Returns whether the object is libc or the dynamic linker. */
static bool is_libc(const struct walked *object)
{
	return object->bias == getauxval(AT_BASE) || got_object_is_named(object, CHOICE_BEHIND);
}

/* Returns whether the function is libc's or the dynamic linker's, and not another interposer's. */
static bool is_libcs(const void *target)
{
	const struct walked *definer = target ? got_object_at((uintptr_t)target) : NULL;

	return definer && is_libc(definer);
}

/* Returns our function for an entry of the object's tables; NULL: it stays as it is. */
static void *replacement(struct walked *object, const arch_relocation *relocation)
{
	unsigned type = relocation_type(relocation);
	size_t symbol = relocation_symbol(relocation);
	void **place = (void **)(object->image.map->l_addr + relocation->r_offset);
	const char *name;
	void *ours;

	if (!symbol || (type != RELOCATION_OF_PLT && !relocation_stores_address(type)))
		return NULL;
	name = image_symbol_name(&object->image, symbol);
	ours = ours_for(object, name);
	return ours && is_libcs(got_target_of(object, symbol, *place, name)) ? ours : NULL;
}

/* Returns how many entries of a table are to lead to ours, and makes them if `is_redirecting`. */
static size_t walk(struct walked *object, const arch_relocation *table, size_t count,
		   bool is_redirecting)
{
	size_t found = 0;

	for (const arch_relocation *relocation = table; relocation < table + count; relocation++) {
		void **place = (void **)(object->image.map->l_addr + relocation->r_offset);
		void *ours = replacement(object, relocation);

		found += ours != NULL;
		if (ours && is_redirecting && got_object_keep(object, place, ours))
			__atomic_store_n(place, ours, __ATOMIC_RELEASE);
	}
	return found;
}

static size_t walk_both(struct walked *object, bool is_redirecting)
{
	const struct image *image = &object->image;

	return walk(object, image->jumps, image->jump_count, is_redirecting) +
	       walk(object, image->relocations, image->relocation_count, is_redirecting);
}

bool unwinders_are_in(struct walked *object)
{
	return !object->is_runtime && object->bias != getauxval(AT_BASE) &&
	       walk_both(object, false);
}

void unwinders_redirect(struct walked *object)
{
	walk_both(object, true);
}

/* ---- objects that are opened meanwhile ---- */

/* A function of libc's, and ours in its place. */
struct pair {
	const char *name;
	void *libcs, *ours;
};

static struct pair pairs[] = { { .name = "_dl_find_object" }, { .name = "dl_iterate_phdr" } };

#define PAIRS (sizeof(pairs) / sizeof(pairs[0]))

/* Has the tool change a symbol of the object, so that it has our address. */
static void name_ours(const struct walked *object, struct pair *pair)
{
	const struct image *image = &object->image;
	void *found = image_look_up(image, pair->name, "");
	size_t symbol = found ? image_find(image, pair->name, (uintptr_t)found) : 0;
	ElfW(Addr) value = (uintptr_t)pair->ours - image->map->l_addr;

	if (!symbol ||
	    !entry_objects_change(&image->symbols[symbol].st_value, &value, sizeof(value)))
		return;
	pair->libcs = found;
}

void unwinders_name_ours(void)
{
	pairs[0].ours = address_guard_finder();
	pairs[1].ours = phdr_guard_reporter();
	for (size_t i = 0; i < PAIRS; i++) {
		pairs[i].libcs = NULL;
		for (const struct walked *object = got_objects; object; object = object->next)
			if (pairs[i].ours && object->image.symbols && is_libc(object))
				name_ours(object, &pairs[i]);
	}
}

/* Returns libc's function if that is one of ours; NULL: it is not. */
static void *libcs_for(const void *function)
{
	for (size_t i = 0; i < PAIRS; i++)
		if (pairs[i].libcs && function == pairs[i].ours)
			return pairs[i].libcs;
	return NULL;
}

/* Returns how many entries of a table lead to ours, and restores them if `is_restoring`. */
static size_t walk_new(struct walked *object, const arch_relocation *table, size_t count,
		       bool is_restoring)
{
	size_t found = 0;

	for (const arch_relocation *relocation = table; relocation < table + count; relocation++) {
		void **place = (void **)(object->image.map->l_addr + relocation->r_offset);
		unsigned type = relocation_type(relocation);
		bool is_address = type == RELOCATION_OF_PLT || relocation_stores_address(type);
		void *libcs = is_address ? libcs_for(*place) : NULL;

		found += libcs != NULL;
		if (libcs && is_restoring)
			__atomic_store_n(place, libcs, __ATOMIC_RELEASE);
	}
	return found;
}

static size_t walk_both_new(struct walked *object, bool is_restoring)
{
	const struct image *image = &object->image;

	return walk_new(object, image->jumps, image->jump_count, is_restoring) +
	       walk_new(object, image->relocations, image->relocation_count, is_restoring);
}

bool unwinders_are_new(struct walked *object, const struct link_map *map,
		       const struct dl_phdr_info *info)
{
	/* Without headers, the linker would be asked for them, which another thread may be in. */
	if (info->dlpi_addr != map->l_addr)
		return false;
	image_read(&object->image, map, info);
	return walk_both_new(object, false);
}

void unwinders_restore(struct walked *object)
{
	walk_both_new(object, true);
}
