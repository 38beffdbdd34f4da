/* SPDX-License-Identifier: MIT */
#include "unwinders.h"

#include <string.h>
#include <sys/auxv.h>

#include "choice.h"
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

/* Returns whether the function is libc's or the dynamic linker's, and not another interposer's. */
static bool is_libcs(const void *target)
{
	const struct walked *definer = target ? got_object_at((uintptr_t)target) : NULL;

	return definer &&
	       (definer->bias == getauxval(AT_BASE) || got_object_is_named(definer, CHOICE_BEHIND));
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
