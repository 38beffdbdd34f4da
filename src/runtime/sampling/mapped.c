/* SPDX-License-Identifier: MIT */
#include "mapped.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/process/build_id_note.h"
#include "runtime/process/instant.h"
#include "base/proc_maps.h"
#include "frames.h"
#include "interpreter/interpreters.h"
#include "sys.h"
#include "unwind/memory.h"

#define MAPPINGS_MAX  8192 /* executable ones */
#define HEADERS_MAX   32   /* program headers of an object that are read */
#define NOTES_BYTES   1024
#define PATH_BYTES    4096
#define ANONYMOUS_MAX 10000 /* at most that many are recorded: just-in-time compilers make many */
#define PATIENCE_MAX  1024  /* misses until a fruitless look is repeated, at most */

/* An executable mapping, as of the last look. */
struct seen {
	uintptr_t start, end;
	uint64_t offset, inode;
	bool stays; /* mapped for as long as the process runs */
};

struct list {
	uint32_t count;
	struct seen at[MAPPINGS_MAX]; /* by address */
};

/* The object of the current lines of /proc/self/maps. */
struct file {
	uint64_t inode; /* 0: the vdso, or none */
	uintptr_t base; /* address of its first byte; 0: not mapped */
};

/* Too large for the stack of a handler; used by the holder of `busy`. */
static struct {
	atomic_flag busy;
	_Atomic uint64_t outdated; /* since when; 0: it is not */
	uint64_t unmapped_at;      /* if a mapping is gone, the time of that */
	bool begun;                /* permanent mappings have been read */
	bool changed;              /* since the last look */
	bool is_blind;             /* the last look failed */
	struct room *names;
	void (*gone)(uintptr_t start, uintptr_t end); /* NULL: no callback */
	struct list *lists[2];                        /* the last one, and the one being made */
	unsigned current;
	struct objects objects;
	uint32_t anonymous;
	_Atomic uint32_t misses, patience;

	struct proc_map entry;
	struct file file;
	uintptr_t added; /* base of the object that was added to the table last */
	struct object object;
	ElfW(Phdr) headers[HEADERS_MAX];
	uint32_t build_id_size;
	uint8_t build_id[BUILD_ID_NOTE_BYTES];
	char path[PATH_BYTES], buffer[4096], notes[NOTES_BYTES];
} mapped = { .busy = ATOMIC_FLAG_INIT };

static struct interpreters interpreters;

int mapped_init(void)
{
	/* Each object has several mappings, one of them executable. */
	size_t size = 2 * (sizeof(struct eh_table) + 4 * MAPPINGS_MAX * sizeof(struct mapping));
	void *tables = sys_memory(size);

	mapped.lists[0] = sys_memory(sizeof(struct list));
	mapped.lists[1] = sys_memory(sizeof(struct list));
	if (!tables || !mapped.lists[0] || !mapped.lists[1])
		return -ENOMEM;
	return objects_init(&mapped.objects, tables, size);
}

void mapped_on_gone(void (*gone)(uintptr_t start, uintptr_t end))
{
	mapped.gone = gone;
}

struct interpreters *mapped_interpreters(void)
{
	return &interpreters;
}

struct objects *mapped_objects(void)
{
	return &mapped.objects;
}

/* ---- the file that is mapped ---- */

static void read_build_id(void)
{
	mapped.build_id_size = 0;
	for (size_t i = 0; i < mapped.object.header_count && !mapped.build_id_size; i++) {
		const ElfW(Phdr) *header = &mapped.headers[i];
		size_t size = header->p_filesz < NOTES_BYTES ? header->p_filesz : NOTES_BYTES;

		if (header->p_type == PT_NOTE &&
		    memory_read_self(NULL, mapped.object.bias + header->p_vaddr, mapped.notes,
				     size))
			mapped.build_id_size =
				build_id_note_find(mapped.notes, size, mapped.build_id);
	}
}

static bool is_elf(const ElfW(Ehdr) * head)
{
	return head->e_ident[0] == ELFMAG0 && head->e_ident[1] == ELFMAG1 &&
	       head->e_ident[2] == ELFMAG2 && head->e_ident[3] == ELFMAG3 &&
	       head->e_phentsize == sizeof(ElfW(Phdr));
}

/* Finds them if no program header does. */
static void find_frames(const ElfW(Ehdr) * head)
{
	for (size_t i = 0; i < mapped.object.header_count; i++)
		if (mapped.headers[i].p_type == PT_GNU_EH_FRAME)
			return;
	if (mapped.entry.inode)
		frames_find(mapped.entry.path, head, &mapped.object.frames,
			    &mapped.object.frames_bytes);
}

/* Reads the program headers of the file, and its bias. */
static bool read_object(bool stays)
{
	uintptr_t base = mapped.file.base;
	ElfW(Ehdr) head;
	size_t count;

	if (!memory_read_self(NULL, base, &head, sizeof(head)) || !is_elf(&head))
		return false;
	count = head.e_phnum < HEADERS_MAX ? head.e_phnum : HEADERS_MAX;
	if (!memory_read_self(NULL, base + head.e_phoff, mapped.headers,
			      count * sizeof(mapped.headers[0])))
		return false;
	for (size_t i = 0; i < count; i++)
		if (mapped.headers[i].p_type == PT_LOAD && mapped.headers[i].p_offset == 0) {
			mapped.object = (struct object){
				.bias = base - mapped.headers[i].p_vaddr,
				.headers = mapped.headers,
				.header_count = count,
				.stays = stays,
			};
			find_frames(&head);
			return true;
		}
	return false;
}

/* ---- changes ---- */

static bool is_same(const struct seen *a, const struct seen *b)
{
	return a->start == b->start && a->end == b->end && a->offset == b->offset &&
	       a->inode == b->inode;
}

static uint64_t now(void)
{
	return mapped.begun ? instant_now() : 0;
}

static void write_unmap(const struct seen *seen)
{
	struct record_unmap *unmap = mapped.names ? room_take(mapped.names, sizeof(*unmap)) : NULL;

	mapped.changed = true;
	if (unmap) {
		unmap->time = mapped.unmapped_at;
		unmap->start = seen->start;
		unmap->end = seen->end;
		room_publish(&unmap->item, RECORD_UNMAP);
	}
	interpreters_gone(&interpreters, seen->start);
	if (mapped.gone)
		mapped.gone(seen->start, seen->end);
}

static struct record_map *take_map(uintptr_t start, uintptr_t end, const char *path)
{
	size_t length = strlen(path);
	struct record_map *map =
		mapped.names ? room_take(mapped.names, sizeof(*map) + length + 1) : NULL;

	if (!map)
		return NULL;
	map->time = now();
	map->start = start;
	map->end = end;
	for (size_t i = 0; i < length; i++)
		map->path[i] = path[i];
	return map;
}

static void write_map(bool is_object)
{
	static const char nameless[] = "[anon]";
	const struct proc_map *entry = &mapped.entry;
	struct record_map *map;

	if (!entry->inode && !is_object && mapped.anonymous++ > ANONYMOUS_MAX)
		return;
	map = take_map(entry->start, entry->end, *entry->path ? entry->path : nameless);
	if (!map)
		return;
	map->offset = entry->offset;
	if (is_object) {
		map->build_id_size = mapped.build_id_size;
		for (uint32_t i = 0; i < mapped.build_id_size; i++)
			map->build_id[i] = mapped.build_id[i];
	}
	room_publish(&map->item, RECORD_MAP);
}

void mapped_name(uintptr_t address, const char *name)
{
	struct record_map *map = take_map(address, address + 1, name);

	if (map)
		room_publish(&map->item, RECORD_MAP);
}

/*
 * Gives up earlier mappings that lie before or across a new one. Returns whether the new one was
 * there before; then it stays permanent, if it was.
 */
static bool was_there(const struct list *before, uint32_t *next, struct seen *seen)
{
	while (*next < before->count && before->at[*next].start < seen->end) {
		const struct seen *old = &before->at[(*next)++];

		if (is_same(old, seen)) {
			seen->stays = old->stays;
			return true;
		}
		write_unmap(old);
	}
	return false;
}

/* ---- looking ---- */

static bool is_vdso(const char *name)
{
	static const char wanted[] = "[vdso]";

	for (size_t i = 0; i < sizeof(wanted); i++)
		if (name[i] != wanted[i])
			return false;
	return true;
}

/*
 * Notes the file of a line. The lines of a file are consecutive, and the one with its first byte
 * comes first.
 */
static void note_file(const struct proc_map *entry)
{
	if (is_vdso(entry->path) || (entry->inode && entry->offset == 0))
		mapped.file = (struct file){ .inode = entry->inode, .base = entry->start };
	else if (!entry->inode || entry->inode != mapped.file.inode)
		mapped.file = (struct file){ 0 };
}

/* Adds an object once, with all of its segments. */
static void add_to_table(struct eh_table *table, bool is_object)
{
	if (is_object && mapped.file.base == mapped.added)
		return;
	if (is_object) {
		table_add_object(table, &mapped.object);
		mapped.added = mapped.file.base;
		return;
	}
	table_put(table, &(struct mapping){ .start = mapped.entry.start,
					    .end = mapped.entry.end,
					    .direct_end = mapped.entry.start,
					    .flags = MAPPING_CODE });
}

/* Handles a line of an executable mapping. */
static void take_line(struct eh_table *table, const struct list *before, uint32_t *next)
{
	const struct proc_map *entry = &mapped.entry;
	struct list *list = mapped.lists[!mapped.current];
	struct seen seen = { entry->start, entry->end, entry->offset, entry->inode, !mapped.begun };
	bool is_known = was_there(before, next, &seen);
	bool is_object = mapped.file.base && read_object(seen.stays);

	if (list->count == MAPPINGS_MAX)
		return;
	add_to_table(table, is_object);
	list->at[list->count++] = seen;
	if (is_known)
		return;
	mapped.changed = true;
	if (is_object)
		read_build_id();
	write_map(is_object);
	if (is_object)
		interpreters_mapped(&interpreters, &(struct peek){ 0 }, &mapped.object,
				    entry->start, mapped.names);
	atomic_store(&mapped.patience, 0);
}

static void look(struct eh_table *table)
{
	const struct list *before = mapped.lists[mapped.current];
	uint32_t next = 0;
	struct proc_maps maps = { .buffer = mapped.buffer,
				  .size = sizeof(mapped.buffer),
				  .path = mapped.path,
				  .path_size = PATH_BYTES };

	mapped.file = (struct file){ 0 };
	mapped.added = 0;
	mapped.lists[!mapped.current]->count = 0;
	mapped.is_blind = proc_maps_open(&maps, PROC_MAPS_SELF) != 0;
	if (mapped.is_blind)
		return;
	while (proc_maps_next(&maps, &mapped.entry)) {
		note_file(&mapped.entry);
		if (mapped.entry.is_executable)
			take_line(table, before, &next);
	}
	proc_maps_close(&maps);
	while (next < before->count)
		write_unmap(&before->at[next++]);
	mapped.current = !mapped.current;
}

/*
 * Makes a new table, unless a walk that started long ago still uses the older one. Returns whether
 * there is something new.
 */
static bool renew(void)
{
	struct eh_table *table;
	bool changed = false;

	if (atomic_flag_test_and_set_explicit(&mapped.busy, memory_order_acquire))
		return false;
	table = objects_begin(&mapped.objects);
	if (table) {
		mapped.unmapped_at = atomic_exchange(&mapped.outdated, 0);
		if (!mapped.unmapped_at)
			mapped.unmapped_at = now();
		mapped.changed = !mapped.begun;
		look(table);
		/* A new table makes every rule in the cache stale. */
		changed = mapped.changed;
		if (changed)
			objects_publish(&mapped.objects);
		mapped.begun = true;
	}
	atomic_flag_clear_explicit(&mapped.busy, memory_order_release);
	return changed;
}

void mapped_attach(struct room *names, bool first)
{
	/* A thread that was about to look when the process was forked does not exist here. */
	atomic_flag_clear(&mapped.busy);
	objects_after_fork(&mapped.objects);
	mapped.names = names;
	if (first)
		renew();
}

void mapped_outdated(void)
{
	uint64_t no = 0;

	atomic_compare_exchange_strong(&mapped.outdated, &no, instant_now());
}

void mapped_renew_if_outdated(void)
{
	if (atomic_load_explicit(&mapped.outdated, memory_order_relaxed))
		renew();
}

void mapped_renew(void)
{
	renew();
}

bool mapped_knows(uintptr_t address)
{
	const struct eh_table *table = objects_enter(&mapped.objects);
	bool known = table_find(table, address);

	objects_leave(&mapped.objects, table);
	return known;
}

bool mapped_learn(void)
{
	uint32_t patience = atomic_load(&mapped.patience);

	if (atomic_fetch_add(&mapped.misses, 1) < patience)
		return false;
	atomic_store(&mapped.misses, 0);
	atomic_store(&mapped.patience, patience < PATIENCE_MAX ? 2 * patience + 1 : patience);
	if (renew())
		return true;
	if (mapped.is_blind)
		room_lost_in_sandbox(RECORD_SANDBOX_MAPS);
	return false;
}
