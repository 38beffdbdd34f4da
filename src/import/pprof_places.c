/* SPDX-License-Identifier: MIT */
#include "pprof_places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "model/profile/maps.h"
#include "symbol/demangle.h"

/* Addresses of programs are below; those of places, of scripts and of the kernel are not. */
#define ADDRESS_MAX (UINT64_C(1) << 56)

void pprof_places_free(struct pprof_places *places)
{
	free(places->mapped);
	hash_free(&places->by_mapping);
	match_table_free(&places->claims);
	free(places->owners);
	free(places->frames);
}

/* ---- mappings ---- */

static bool overlaps(const struct pprof_mapping *a, const struct pprof_mapping *b)
{
	return a->start < b->limit && b->start < a->limit;
}

static bool is_mappable(const struct pprof_places *places, uint32_t process, uint32_t number)
{
	const struct pprof_mapping *mapping = &places->tables->mappings[number];

	if (mapping->start >= mapping->limit || mapping->limit > ADDRESS_MAX ||
	    mapping->offset > ADDRESS_MAX)
		return false;
	for (size_t i = 0; i < places->mapped_count; i++)
		if (places->mapped[i].process == process && places->mapped[i].is_usable &&
		    overlaps(mapping, &places->tables->mappings[places->mapped[i].mapping]))
			return false;
	return true;
}

static int add_map(const struct pprof_places *places, uint32_t process, uint32_t number,
		   struct err *err)
{
	const struct pprof_mapping *mapping = &places->tables->mappings[number];
	struct record_map map = { .start = mapping->start,
				  .end = mapping->limit,
				  .offset = mapping->offset,
				  .build_id_size = (uint32_t)mapping->build_id.size };

	memcpy(map.build_id, mapping->build_id.bytes, mapping->build_id.size);
	return draft_map(places->draft, process, &map, mapping->path, err);
}

/* Maps a mapping into a process, if it is new there and can be. */
static int use_mapping(struct pprof_places *places, uint32_t process, uint32_t mapping,
		       bool *is_usable, struct err *err)
{
	uint32_t *place = hash_place(&places->by_mapping, (uint64_t)process << 32 | mapping);
	struct pprof_mapped *more;
	int status = 0;

	if (!place)
		return err_no_memory(err);
	if (*place == HASH_NONE) {
		more = vec_room(places->mapped, places->mapped_count, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		places->mapped = more;
		more[places->mapped_count] = (struct pprof_mapped){
			.process = process,
			.mapping = mapping,
			.is_usable = is_mappable(places, process, mapping),
		};
		if (more[places->mapped_count].is_usable)
			status = add_map(places, process, mapping, err);
		*place = (uint32_t)places->mapped_count++;
	}
	*is_usable = places->mapped[*place].is_usable;
	return status;
}

/* ---- locations ---- */

static const struct pprof_line *lines_of(const struct pprof_places *places,
					 const struct pprof_location *location)
{
	return &places->tables->lines[location->first];
}

static bool is_same(const struct pprof_places *places, const struct pprof_location *a,
		    const struct pprof_location *b)
{
	if (a->count != b->count)
		return false;
	for (uint32_t i = 0; i < a->count; i++)
		if (lines_of(places, a)[i].function != lines_of(places, b)[i].function ||
		    lines_of(places, a)[i].line != lines_of(places, b)[i].line)
			return false;
	return true;
}

/* Claims an offset of an object for a location, unless one with other functions has it. */
static int claim(struct pprof_places *places, uint32_t object, uint64_t offset, uint32_t location,
		 bool *is_its, struct err *err)
{
	const struct pprof_location *locations = places->tables->locations;
	uint64_t key[] = { object, offset };
	size_t known = places->claims.count;
	uint32_t number, *more;

	if (match_number(&places->claims, key, sizeof(key), &number))
		return err_no_memory(err);
	if (places->claims.count > known) {
		more = vec_room(places->owners, known, sizeof(*more));
		if (!more)
			return err_no_memory(err);
		places->owners = more;
		more[number] = location;
	}
	*is_its = is_same(places, &locations[places->owners[number]], &locations[location]);
	return 0;
}

/* Returns the symbol of a function if its name follows from it, otherwise its name. */
static const char *symbol_of(const struct pprof_function *function)
{
	char *name = *function->symbol ? demangle(function->symbol) : NULL;
	bool follows = name && strcmp(name, function->name) == 0;

	free(name);
	if (follows || !*function->name)
		return *function->symbol ? function->symbol : DRAFT_NO_OBJECT;
	return function->name;
}

static int fill_frames(struct pprof_places *places, const struct pprof_location *location,
		       struct err *err)
{
	const struct pprof_tables *tables = places->tables;
	struct draft_frame *more = reallocarray(places->frames, location->count + 1, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	places->frames = more;
	more[0] = (struct draft_frame){ .name = "", .source = "" };
	for (uint32_t i = 0; i < location->count; i++) {
		static const struct pprof_function unknown = { .name = "",
							       .symbol = "",
							       .source = "" };
		const struct pprof_line *line = &lines_of(places, location)[i];
		const struct pprof_function *function =
			line->function == HASH_NONE ? &unknown : &tables->functions[line->function];

		more[i] = (struct draft_frame){ .name = symbol_of(function),
						.source = function->source,
						.line = line->line };
	}
	return 0;
}

/* Names the address itself if nothing else is known about a location without a mapping. */
static int add_nameless(struct pprof_places *places, uint32_t object, uint64_t address,
			uint64_t *place, struct err *err)
{
	char name[32];
	struct draft_frame frame = { .name = name, .source = "" };

	snprintf(name, sizeof(name), "0x%llx", (unsigned long long)address);
	return draft_place(places->draft, object, &frame, 1, place, err);
}

/* Finds the object of a location: its file, or the source of its function. */
static int find_object(const struct pprof_places *places, const struct pprof_mapping *mapping,
		       uint32_t *object, struct err *err)
{
	static const struct build_id none;
	const char *path = DRAFT_NO_OBJECT;

	if (mapping && maps_is_path(mapping->path))
		path = mapping->path;
	else if (!mapping && maps_is_path(places->frames[0].source))
		path = places->frames[0].source;
	return draft_object(places->draft, path, mapping ? &mapping->build_id : &none, object, err);
}

/* Returns true for memory that has no functions: its name is that of the mapping. */
static bool is_memory(const struct pprof_places *places, const struct pprof_location *location,
		      const struct pprof_mapping *mapping)
{
	return !maps_is_path(mapping->path) && location->count == 1 &&
	       strcmp(places->frames[0].name, mapping->path) == 0;
}

/* Keeps the address of a location in a file, if it can. */
static int keep_address(struct pprof_places *places, uint32_t process, uint32_t number,
			uint32_t object, bool *is_kept, struct err *err)
{
	const struct pprof_location *location = &places->tables->locations[number];
	const struct pprof_mapping *mapping = &places->tables->mappings[location->mapping];
	uint64_t offset = location->address - mapping->start + mapping->offset;
	bool needs_names = !is_memory(places, location, mapping), has_program;
	int status = 0;

	*is_kept = location->address >= mapping->start && location->address < mapping->limit &&
		   (maps_is_path(mapping->path) || !needs_names);
	/* The first one is the program's, also where a library is used first. */
	if (*is_kept && !places->mapped_count)
		status = use_mapping(places, process, 0, &has_program, err);
	if (*is_kept && !status)
		status = use_mapping(places, process, location->mapping, is_kept, err);
	if (!status && *is_kept && needs_names)
		status = claim(places, object, offset, number, is_kept, err);
	if (!status && *is_kept && needs_names)
		status = draft_place_at(places->draft, object, offset, places->frames,
					location->count, err);
	return status;
}

int pprof_places_find(struct pprof_places *places, uint32_t process, uint32_t location,
		      uint64_t *address, struct err *err)
{
	const struct pprof_location *at = &places->tables->locations[location];
	const struct pprof_mapping *mapping =
		at->mapping == HASH_NONE ? NULL : &places->tables->mappings[at->mapping];
	bool is_kept = false;
	uint32_t object;
	int status = fill_frames(places, at, err);

	if (!status)
		status = find_object(places, mapping, &object, err);
	if (!status && mapping)
		status = keep_address(places, process, location, object, &is_kept, err);
	if (status)
		return status;
	*address = at->address;
	if (is_kept)
		return 0;
	if (at->count == 0)
		return add_nameless(places, object, at->address, address, err);
	return draft_place(places->draft, object, places->frames, at->count, address, err);
}
