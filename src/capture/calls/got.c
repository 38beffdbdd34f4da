/* SPDX-License-Identifier: MIT */
#include "capture/calls/got.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/calls/choice.h"
#include "capture/calls/got_dl.h"
#include "capture/calls/image.h"
#include "capture/calls/runtime.h"
#include "record/format.h"
#include "relocations.h"

/* An object whose tables have been walked. */
struct walked {
	struct walked *next;
	struct image image;
	char *path;
	uintptr_t bias;
	uint32_t id;
	bool is_caller;
	bool seen; /* in the walk that is under way */
};

static struct walked *objects;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct spec_subject subject_of(const struct walked *object)
{
	return (struct spec_subject){ .soname = object->image.soname, .path = object->path };
}

static struct walked *provider_of(uintptr_t address)
{
	struct walked *object = objects;

	while (object && address - object->image.start >= object->image.end - object->image.start)
		object = object->next;
	return object;
}

/* What to put in the place of `target`, which the linker has found for `name`. */
static void *redirector(void *target, const char *name)
{
	struct walked *provider = provider_of((uintptr_t)target);
	size_t symbol = provider ? image_find(&provider->image, name, (uintptr_t)target) : 0;
	struct spec_subject subject;
	void *ours;

	if (!symbol || provider->id == UINT32_MAX)
		return target;
	subject = subject_of(provider);
	subject.symbol = name;
	ours = got_dl_replacement(name);
	if (!choice_has(&subject))
		return ours ? ours : target;
	return dwell_calls_bind(&(struct runtime_function){
		.target = ours ? ours : target,
		.object = provider->id,
		.flags = choice_counts_only(&subject) ? RECORD_COUNTED : 0,
		.symbol = name,
		.version = image_version(&provider->image, symbol),
	});
}

static bool stores_function(const struct image *image, const ElfW(Rela) * relocation)
{
	unsigned type = ELF64_R_TYPE(relocation->r_info);

	return ELF64_R_SYM(relocation->r_info) && !relocation->r_addend &&
	       (type == RELOCATION_OF_PLT || relocation_stores_address(type)) &&
	       ELF64_ST_TYPE(image->symbols[ELF64_R_SYM(relocation->r_info)].st_info) != STT_OBJECT;
}

/* Where the linker has not been told to fill the table, it holds the way to the linker. */
static void *resolve(const struct image *image, void *found, const char *name)
{
	return (uintptr_t)found - image->start < image->end - image->start
		       ? dlsym(RTLD_DEFAULT, name)
		       : found;
}

static void walk_table(const struct image *image, const ElfW(Rela) * table, size_t count)
{
	for (const ElfW(Rela) *relocation = table; relocation < table + count; relocation++) {
		void **place = (void **)(image->map->l_addr + relocation->r_offset);
		size_t symbol = ELF64_R_SYM(relocation->r_info);
		const char *name;
		void *found, *wanted;

		if (!stores_function(image, relocation) || !*place)
			continue;
		name = image_symbol_name(image, symbol);
		found = image->symbols[symbol].st_shndx == SHN_UNDEF ? resolve(image, *place, name)
								     : *place;
		wanted = found ? redirector(found, name) : NULL;
		if (found && wanted != found)
			__atomic_store_n(place, wanted, __ATOMIC_RELEASE);
	}
}

/* What the linker has sealed is opened for as long as it takes. */
static void walk(const struct walked *object)
{
	const struct image *image = &object->image;
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t start = image->sealed & ~(page - 1), end = image->sealed_end & ~(page - 1);

	if (start < end && mprotect((void *)start, end - start, PROT_READ | PROT_WRITE) != 0)
		return;
	walk_table(image, image->jumps, image->jump_count);
	walk_table(image, image->relocations, image->relocation_count);
	if (start < end)
		mprotect((void *)start, end - start, PROT_READ);
}

static struct walked *add(const struct link_map *map)
{
	struct walked *object = calloc(1, sizeof(*object));
	struct spec_subject subject;

	if (!object)
		return NULL;
	image_read(&object->image, map);
	object->path = *map->l_name ? strdup(map->l_name) : realpath("/proc/self/exe", NULL);
	if (!object->path) {
		free(object);
		return NULL;
	}
	subject = subject_of(object);
	object->bias = map->l_addr;
	object->is_caller = !choice_is_system(&subject) && choice_has_caller(&subject) &&
			    strcmp(object->image.soname, "libdwell-calls.so") != 0;
	object->id = dwell_calls_object(&(struct runtime_object){
		.path = object->path,
		.soname = object->image.soname,
		.bias = map->l_addr,
		.start = object->image.start,
		.end = object->image.end,
	});
	object->next = objects;
	objects = object;
	return object;
}

static struct walked *find(const struct link_map *map)
{
	struct walked *object = objects;

	/* The linker may use the memory of a map that is gone for another one. */
	while (object && !(object->image.map == map && object->bias == map->l_addr &&
			   (!*map->l_name || strcmp(object->path, map->l_name) == 0)))
		object = object->next;
	return object;
}

static void remove_closed(void)
{
	for (struct walked **link = &objects; *link;) {
		struct walked *object = *link;

		if (object->seen) {
			object->seen = false;
			link = &object->next;
			continue;
		}
		dwell_calls_forget(object->id);
		*link = object->next;
		free(object->path);
		free(object);
	}
}

static int count_changes(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)size;
	*(unsigned long long *)count = info->dlpi_adds + info->dlpi_subs;
	return 1;
}

static bool has_changed(void)
{
	static unsigned long long before;
	unsigned long long now = 0;

	dl_iterate_phdr(count_changes, &now);
	return __atomic_exchange_n(&before, now, __ATOMIC_RELAXED) != now;
}

/* All objects are known before the first is walked, since their functions are in each other. */
void got_walk(void)
{
	struct link_map *first = has_changed() ? dlopen(NULL, RTLD_LAZY | RTLD_NOLOAD) : NULL;
	struct walked *before;

	if (!first)
		return;
	pthread_mutex_lock(&lock);
	before = objects;
	for (struct link_map *map = first; map; map = map->l_next) {
		struct walked *object = find(map);

		if (!object)
			object = add(map);
		if (object)
			object->seen = true;
	}
	for (struct walked *object = objects; object != before; object = object->next)
		if (object->is_caller)
			walk(object);
	remove_closed();
	pthread_mutex_unlock(&lock);
}

void *got_wrap(void *found, const char *name)
{
	got_walk();
	pthread_mutex_lock(&lock);
	found = redirector(found, name);
	pthread_mutex_unlock(&lock);
	return found;
}
