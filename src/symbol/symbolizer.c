/* SPDX-License-Identifier: MIT */
#include "symbol/symbolizer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "symbol/archive_write.h"
#include "symbol/debug_file.h"
#include "symbol/elf_module.h"
#include "symbol/jit_map.h"
#include "symbol/regular_file.h"
#include "symbol/vdso.h"

void symbolizer_init(struct symbolizer *symbolizer)
{
	*symbolizer = (struct symbolizer){ .debug_folder = debug_file_folder(),
					   .jit_folder = JIT_MAP_FOLDER,
					   .inlines = true,
					   .lines = true };
}

static void object_free(struct symbolizer_object *object)
{
	if (object)
		free(object->path);
	free(object);
}

void symbolizer_fini(struct symbolizer *symbolizer)
{
	for (size_t i = 0; i < symbolizer->count; i++) {
		elf_module_close(symbolizer->objects[i]->module);
		object_free(symbolizer->objects[i]);
	}
	for (size_t i = 0; i < symbolizer->jit_count; i++)
		jit_map_free(&symbolizer->jits[i]);
	free(symbolizer->objects);
	free(symbolizer->jits);
	hash_free(&symbolizer->by_name);
	hash_free(&symbolizer->by_maker);
	archive_read_free(&symbolizer->archive);
	*symbolizer = (struct symbolizer){ 0 };
}

int symbolizer_carry(struct symbolizer *symbolizer, const struct reader *reader)
{
	return archive_read_open(&symbolizer->archive, reader);
}

static struct symbolizer_object *object_new(const char *path, const struct build_id *id)
{
	struct symbolizer_object *object = calloc(1, sizeof(*object));
	const char *slash;

	if (!object)
		return NULL;
	*object = (struct symbolizer_object){ .path = strdup(path),
					      .id = *id,
					      .archived = ARCHIVE_READ_NONE };
	if (!object->path) {
		object_free(object);
		return NULL;
	}
	slash = strrchr(object->path, '/');
	object->title = slash && slash[1] ? slash + 1 : object->path;
	return object;
}

static struct symbolizer_object *append(struct symbolizer *symbolizer, const char *path,
					const struct build_id *id)
{
	struct symbolizer_object **more = vec_room(symbolizer->objects, symbolizer->count,
						   sizeof(struct symbolizer_object *));
	struct symbolizer_object *object;

	if (!more)
		return NULL;
	symbolizer->objects = more;
	object = object_new(path, id);
	if (object) {
		object->number = symbolizer->count;
		symbolizer->objects[symbolizer->count++] = object;
	}
	return object;
}

struct symbolizer_object *symbolizer_object(struct symbolizer *symbolizer, const char *path,
					    const struct build_id *id)
{
	uint64_t key = hash_bytes(hash_bytes(0, path, strlen(path)), id->bytes, id->size);

	/* Others with the same key have the next keys. */
	for (;; key++) {
		uint32_t *place = hash_place(&symbolizer->by_name, key);
		struct symbolizer_object *object;

		if (!place)
			return NULL;
		if (*place == HASH_NONE) {
			object = append(symbolizer, path, id);
			if (object)
				*place = (uint32_t)symbolizer->count - 1;
			return object;
		}
		object = symbolizer->objects[*place];
		if (strcmp(object->path, path) == 0 && build_id_same(&object->id, id))
			return object;
	}
}

static int open_file(const struct symbolizer_object *object)
{
	if (strcmp(object->path, "[vdso]") == 0)
		return vdso_open();
	return *object->path == '/' ? regular_file_open(object->path) : -ENOENT;
}

static enum symbolizer_state state_of(int status)
{
	switch (status) {
	case 0:
		return SYMBOLIZER_OPEN;
	case -ESTALE:
		return SYMBOLIZER_CHANGED;
	default:
		return SYMBOLIZER_DAMAGED;
	}
}

/* Restores the state that an object had when it was archived. */
static void recall(const struct archive_read *archive, struct symbolizer_object *object)
{
	static const enum symbolizer_state states[] = {
		[RECORD_FILE_MADE] = SYMBOLIZER_MISSING,
		[RECORD_FILE_OPEN] = SYMBOLIZER_OPEN,
		[RECORD_FILE_MISSING] = SYMBOLIZER_MISSING,
		[RECORD_FILE_CHANGED] = SYMBOLIZER_CHANGED,
		[RECORD_FILE_DAMAGED] = SYMBOLIZER_DAMAGED,
	};

	object->state = SYMBOLIZER_MISSING;
	object->archived = archive_read_file(archive, object->path, &object->id);
	if (object->archived == ARCHIVE_READ_NONE)
		return;
	object->state = states[archive->files[object->archived]->state];
	object->is_full = archive->files[object->archived]->is_full;
}

static enum symbolizer_state open_module(const struct symbolizer *symbolizer,
					 struct symbolizer_object *object, int *status)
{
	struct elf_module_search search = { .folder = symbolizer->debug_folder,
					    .debuginfod = symbolizer->debuginfod };
	int fd = open_file(object);

	*status = 0;
	if (fd < 0)
		return SYMBOLIZER_MISSING;
	*status = elf_module_open(&object->module, fd, object->path, &search, &object->id);
	return state_of(*status);
}

/* Returns 0 or -ENOMEM. */
static int try_to_open(const struct symbolizer *symbolizer, struct symbolizer_object *object)
{
	int status;

	if (object->state != SYMBOLIZER_UNTRIED)
		return 0;
	if (symbolizer->archive.is_there) {
		recall(&symbolizer->archive, object);
		return 0;
	}
	object->state = open_module(symbolizer, object, &status);
	object->is_full = object->module && elf_module_is_full(object->module);
	return status == -ENOMEM ? status : 0;
}

/* Returns the file itself; NULL: not available. An archive has no code: the same file on this
 * machine is as good. */
static struct elf_module *module_of(const struct symbolizer *symbolizer,
				    struct symbolizer_object *object)
{
	int status = try_to_open(symbolizer, object);

	if (!status && symbolizer->archive.is_there && !object->is_code_tried) {
		object->is_code_tried = true;
		open_module(symbolizer, object, &status);
	}
	return object->module;
}

/* Sets a place to unknown, except for its address. */
static void set_unknown(struct place *place, uint64_t address)
{
	place->address = address;
	place->depth = 1;
	place->frames[0] = (struct place_frame){ .start = address };
}

static int find(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		uint64_t offset, const struct elf_module_wish *wish, struct place *place)
{
	int status = try_to_open(symbolizer, object);
	uint64_t address;

	set_unknown(place, offset);
	if (symbolizer->archive.is_there) {
		archive_read_find(&symbolizer->archive, object->archived, offset, wish, place);
		return status;
	}
	if (status || !object->module || !elf_module_address(object->module, offset, &address))
		return status;
	set_unknown(place, address);
	return elf_module_find(object->module, wish, place);
}

/* Stores all information about an offset, wanted now or not. */
static int keep(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		uint64_t offset)
{
	static const struct elf_module_wish all = { .inlines = true, .lines = true },
					    plain = { .lines = true };
	struct place deep, flat;
	int status = find(symbolizer, object, offset, &all, &deep);

	if (!status)
		status = find(symbolizer, object, offset, &plain, &flat);
	return status ? status
		      : archive_write_keep(symbolizer->new_archive, object, offset, &deep,
					   &flat.frames[0]);
}

int symbolizer_find(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		    uint64_t offset, struct place *place)
{
	struct elf_module_wish wish = { .inlines = symbolizer->inlines,
					.lines = symbolizer->lines };
	int status = find(symbolizer, object, offset, &wish, place);

	return !status && symbolizer->new_archive ? keep(symbolizer, object, offset) : status;
}

static bool is_signal_frame(const struct symbolizer *symbolizer,
			    const struct symbolizer_object *object, uint64_t offset)
{
	uint64_t address, start;
	const struct symbol *symbol;
	bool is_signal = false;

	if (symbolizer->archive.is_there)
		return archive_read_is_signal(&symbolizer->archive, object->archived, offset);
	if (!object->module || !elf_module_address(object->module, offset, &address))
		return false;
	symbol = elf_module_symbol(object->module, address);
	if (symbol && symbol->start != address)
		return false;
	return elf_module_frame(object->module, address, &start, &is_signal) && is_signal;
}

/* Stores the result. The object is stored in any case: it was looked at. */
static int keep_signal(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		       uint64_t offset, bool is_signal)
{
	int status = archive_write_keep_object(symbolizer->new_archive, object);

	if (!status && is_signal)
		status = keep(symbolizer, object, offset);
	if (!status && is_signal)
		status = archive_write_keep_signal(symbolizer->new_archive, object, offset);
	return status;
}

int symbolizer_is_signal_frame(const struct symbolizer *symbolizer,
			       struct symbolizer_object *object, uint64_t offset, bool *is_signal)
{
	int status = try_to_open(symbolizer, object);

	*is_signal = !status && is_signal_frame(symbolizer, object, offset);
	if (!status && symbolizer->new_archive)
		status = keep_signal(symbolizer, object, offset, *is_signal);
	return status;
}

/* Returns the map that a process has written; NULL: no memory. */
static const struct jit_map *jit_of(struct symbolizer *symbolizer, uint64_t maker)
{
	uint32_t *place = hash_place(&symbolizer->by_maker, maker);
	struct jit_map *more;

	if (!place)
		return NULL;
	if (*place != HASH_NONE)
		return &symbolizer->jits[*place];
	more = vec_room(symbolizer->jits, symbolizer->jit_count, sizeof(*more));
	if (!more)
		return NULL;
	symbolizer->jits = more;
	more += symbolizer->jit_count;
	*place = (uint32_t)symbolizer->jit_count++;
	/* Left empty without a map. */
	if (jit_map_open(more, symbolizer->jit_folder, (uint32_t)maker, symbolizer->since) ==
	    -ENOMEM)
		return NULL;
	return more;
}

static int find_in_map(struct symbolizer *symbolizer, uint64_t maker, struct place *place)
{
	const struct jit_map *jit = jit_of(symbolizer, maker);
	const struct symbol *symbol = jit ? symbol_table_find(&jit->table, place->address) : NULL;

	if (symbol) {
		place->frames[0].symbol = symbol->name;
		place->frames[0].start = symbol->start;
	}
	return jit ? 0 : -ENOMEM;
}

int symbolizer_find_jit(struct symbolizer *symbolizer, uint64_t maker, uint64_t address,
			struct place *place)
{
	static const struct elf_module_wish plain = { 0 };
	const struct archive_read *archive = &symbolizer->archive;
	int status = 0;

	set_unknown(place, address);
	if (archive->is_there)
		archive_read_find(archive, archive_read_made(archive, maker), address, &plain,
				  place);
	else
		status = find_in_map(symbolizer, maker, place);
	/* An unknown place takes no space. */
	if (!status && place->frames[0].symbol && symbolizer->new_archive)
		status = archive_write_keep_jit(symbolizer->new_archive, maker, place);
	return status;
}

bool symbolizer_code(const struct symbolizer *symbolizer, struct symbolizer_object *object,
		     uint64_t address, struct elf_module_code *code)
{
	struct elf_module *module = module_of(symbolizer, object);

	return module && elf_module_code(module, address, code);
}

const struct symbol *symbolizer_symbol(const struct symbolizer *symbolizer,
				       struct symbolizer_object *object, uint64_t address)
{
	struct elf_module *module = module_of(symbolizer, object);

	return module ? elf_module_symbol(module, address) : NULL;
}

static bool lacks_symbols(const struct symbolizer_object *object)
{
	return object && object->state == SYMBOLIZER_OPEN && !object->is_full;
}

/* Asks dpkg's lists. */
static int find_packages(struct symbolizer_package *packages, size_t count)
{
	struct package_query *queries = calloc(count + 1, sizeof(*queries));
	size_t queried = 0, next = 0;

	if (!queries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (lacks_symbols(packages[i].object))
			queries[queried++].path = packages[i].object->path;
	package_find(PACKAGE_FOLDER, queries, queried);
	for (size_t i = 0; i < count; i++)
		if (lacks_symbols(packages[i].object))
			strcpy(packages[i].name, queries[next++].name);
	free(queries);
	return 0;
}

int symbolizer_packages(const struct symbolizer *symbolizer, struct symbolizer_package *packages,
			size_t count)
{
	const struct archive_read *archive = &symbolizer->archive;

	for (size_t i = 0; i < count; i++)
		packages[i].name[0] = '\0';
	if (!archive->is_there)
		return find_packages(packages, count);
	for (size_t i = 0; i < count; i++)
		if (lacks_symbols(packages[i].object) &&
		    packages[i].object->archived != ARCHIVE_READ_NONE)
			snprintf(packages[i].name, sizeof(packages[i].name), "%s",
				 archive_read_package(archive, packages[i].object->archived));
	return 0;
}
