/* SPDX-License-Identifier: MIT */
#include "unwind/objects.h"

#include <errno.h>

#include "base/bisect.h"

int objects_init(struct objects *objects, void *memory, size_t size)
{
	size_t half = size / 2 / sizeof(struct mapping) * sizeof(struct mapping);

	if (half < sizeof(struct eh_table) + sizeof(struct mapping))
		return -EINVAL;
	for (int i = 0; i < 2; i++) {
		struct eh_table *table = (struct eh_table *)((char *)memory + (size_t)i * half);

		table->generation = table->count = table->left_out = 0;
		table->capacity = (uint32_t)((half - sizeof(*table)) / sizeof(struct mapping));
		objects->tables[i] = table;
		atomic_store(&objects->walks[i], 0);
	}
	atomic_store(&objects->current, 0);
	return 0;
}

/* Returns the unused table. A walk first counts itself and then checks that the table is still
 * current; here, the table ceases to be current before the walks are checked. So one of the two
 * sees the other. */
struct eh_table *objects_begin(struct objects *objects)
{
	unsigned spare = !atomic_load(&objects->current);
	struct eh_table *table = objects->tables[spare];

	if (atomic_load(&objects->walks[spare]))
		return NULL;
	table->count = table->left_out = 0;
	return table;
}

int table_put(struct eh_table *table, const struct mapping *mapping)
{
	if (mapping->start >= mapping->end)
		return 0;
	if (table->count == table->capacity) {
		table->left_out++;
		return -ENOSPC;
	}
	table->mappings[table->count++] = *mapping;
	return 0;
}

static struct mapping mapping_of(const struct object *object, const ElfW(Phdr) * load)
{
	struct mapping mapping = {
		.start = object->bias + load->p_vaddr,
		.end = object->bias + load->p_vaddr + load->p_memsz,
		.bias = object->bias,
	};

	mapping.direct_end = mapping.start;
	if (load->p_flags & PF_X)
		mapping.flags |= MAPPING_CODE;
	if (object->file) {
		mapping.flags |= MAPPING_UNRELOCATED;
		mapping.shift = (uintptr_t)object->file + load->p_offset - mapping.start;
		if (!(load->p_flags & PF_W))
			mapping.direct_end = mapping.start + load->p_filesz;
	} else if (object->stays && load->p_flags & PF_R) {
		mapping.direct_end = mapping.end;
	}
	return mapping;
}

int table_add_object(struct eh_table *table, const struct object *object)
{
	const ElfW(Phdr) *unwind = NULL;
	int err = 0;

	for (size_t i = 0; i < object->header_count; i++)
		if (object->headers[i].p_type == PT_GNU_EH_FRAME)
			unwind = &object->headers[i];
	for (size_t i = 0; i < object->header_count; i++) {
		struct mapping mapping;
		int failed;

		if (object->headers[i].p_type != PT_LOAD)
			continue;
		mapping = mapping_of(object, &object->headers[i]);
		if (unwind) {
			mapping.header = object->bias + unwind->p_vaddr;
			mapping.header_bytes = (uint32_t)unwind->p_memsz;
		} else if (object->frames_bytes) {
			mapping.frames = object->bias + object->frames;
			mapping.frames_bytes = (uint32_t)object->frames_bytes;
		}
		failed = table_put(table, &mapping);
		err = err ? err : failed;
	}
	return err;
}

/* A part of an object may be mapped again in its place, by a line of its own without an object: the
 * whole segment, which has rules, comes first then, and the part is an overlap. */
static bool comes_after(const struct mapping *a, const struct mapping *b)
{
	if (a->start != b->start)
		return a->start > b->start;
	return !(a->header || a->frames) && (b->header || b->frames);
}

/* Sorts by Shell's method: it needs no memory, and objects are nearly in order. */
static void sort(struct eh_table *table)
{
	struct mapping *all = table->mappings;

	for (size_t gap = table->count / 2; gap > 0; gap /= 2)
		for (size_t i = gap; i < table->count; i++) {
			struct mapping moving = all[i];
			size_t to = i;

			for (; to >= gap && comes_after(&all[to - gap], &moving); to -= gap)
				all[to] = all[to - gap];
			all[to] = moving;
		}
}

static void drop_overlaps(struct eh_table *table)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->count; i++) {
		if (kept && table->mappings[i].start < table->mappings[kept - 1].end) {
			table->left_out++;
			continue;
		}
		table->mappings[kept++] = table->mappings[i];
	}
	table->count = kept;
}

void objects_publish(struct objects *objects)
{
	unsigned current = atomic_load(&objects->current);
	struct eh_table *table = objects->tables[!current];

	sort(table);
	drop_overlaps(table);
	table->generation = objects->tables[current]->generation + 1;
	atomic_store(&objects->current, !current);
}

void objects_after_fork(struct objects *objects)
{
	atomic_store(&objects->walks[0], 0);
	atomic_store(&objects->walks[1], 0);
}

const struct eh_table *objects_enter(struct objects *objects)
{
	for (;;) {
		unsigned current = atomic_load(&objects->current);

		atomic_fetch_add(&objects->walks[current], 1);
		if (atomic_load(&objects->current) == current)
			return objects->tables[current];
		/* Published just now, which is rare: the loop ends. */
		atomic_fetch_sub(&objects->walks[current], 1);
	}
}

void objects_leave(struct objects *objects, const struct eh_table *table)
{
	atomic_fetch_sub(&objects->walks[table == objects->tables[1]], 1);
}

static uint64_t end_at(const void *mappings, size_t i)
{
	return ((const struct mapping *)mappings)[i].end;
}

const struct mapping *table_find(const struct eh_table *table, uintptr_t address)
{
	size_t low = bisect(end_at, table->mappings, table->count, address);

	if (low == table->count || table->mappings[low].start > address)
		return NULL;
	return &table->mappings[low];
}
