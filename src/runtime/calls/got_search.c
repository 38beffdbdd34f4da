/* SPDX-License-Identifier: MIT */
#include "got_search.h"

#include <string.h>

bool got_search_is_named(const struct walked *object, const char *soname)
{
	const char *slash = strrchr(object->path, '/');

	return strcmp(object->image.soname, soname) == 0 ||
	       strcmp(slash ? slash + 1 : object->path, soname) == 0;
}

/* Finds an object by its soname, while the linker's list is walked. */
static struct walked *named(struct walked *objects, const char *soname)
{
	struct walked *object = objects;

	while (object && !got_search_is_named(object, soname))
		object = object->next;
	return object;
}

/* Looks in objects loaded with the program, which are global, or in all objects. */
static void *look_up(struct walked *objects, const char *name, const char *version, bool early)
{
	void *found = NULL;

	for (struct walked *object = objects; object && !found; object = object->next)
		if ((object->is_early || !early) && object->image.symbols)
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
static void *look_up_own(struct walked *objects, struct walked *object, const char *name,
			 const char *version)
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
					named(objects, image->strings + entry->d_un.d_val));
	}
	return NULL;
}

/* Global objects come before the object's dependencies, or after them with RTLD_DEEPBIND. */
void *got_search_first(struct walked *objects, struct walked *object, size_t symbol,
		       const char *name)
{
	const struct image *image = &object->image;
	bool is_import = image->symbols[symbol].st_shndx == SHN_UNDEF;
	const char *version =
		is_import ? image_needed_version(image, symbol) : image_version(image, symbol);
	void *found = object->is_deep ? look_up_own(objects, object, name, version) : NULL;

	if (!found)
		found = look_up(objects, name, version, true);
	if (!found && !object->is_early)
		found = look_up_own(objects, object, name, version);
	return found ? found : look_up(objects, name, version, false);
}
