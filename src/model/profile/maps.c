/* SPDX-License-Identifier: MIT */
#include "maps.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "recording/read/runs.h"

static int add_process(void *list, const struct reader_segment *segment, uint32_t number,
		       const struct run *run, struct err *err)
{
	struct maps *maps = list;
	struct maps_process *more = vec_room(maps->processes, maps->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	maps->processes = more;
	maps->processes[maps->count++] = (struct maps_process){
		.offset = segment->offset,
		.run = number,
		.machine = run->machine,
		.is_elsewhere = run->is_elsewhere,
		.process = reader_process(segment),
	};
	return 0;
}

static int add_event(struct maps_history *history, struct map_event event, struct err *err)
{
	struct map_event *more = vec_room(history->events, history->count, sizeof(*more));

	if (!more)
		return err_no_memory(err);
	event.order = history->count;
	history->events = more;
	history->events[history->count++] = event;
	return 0;
}

/* Keeps the name of a region; numbers are below a limit that the reader has checked. */
static int add_region(struct maps_process *process, const struct record_region *region,
		      struct err *err)
{
	if (!process->regions)
		process->regions = calloc(RECORD_REGIONS_MAX, sizeof(struct record_region *));
	if (!process->regions)
		return err_no_memory(err);
	process->regions[region->number] = region;
	return 0;
}

const char *maps_region(const struct maps_process *process, uint64_t address)
{
	const struct record_region *region = NULL;

	if (process && process->regions && address >= RECORD_REGIONS_START &&
	    address - RECORD_REGIONS_START < RECORD_REGIONS_MAX)
		region = process->regions[address - RECORD_REGIONS_START];
	return region ? region->name : NULL;
}

int maps_add(struct maps_process *process, const struct record_item *item, struct err *err)
{
	const struct record_map *map = (const struct record_map *)item;
	const struct record_unmap *unmap = (const struct record_unmap *)item;
	const struct record_script *script = (const struct record_script *)item;

	if (item->kind == RECORD_REGION)
		return add_region(process, (const struct record_region *)item, err);
	if (item->kind == RECORD_SCRIPT && script->language != RECORD_MADE &&
	    script->language != RECORD_KERNEL)
		process->has_scripts = true;
	if (item->kind == RECORD_SCRIPT)
		return add_event(script->language == RECORD_MADE ? &process->made
								 : &process->mapped,
				 (struct map_event){ .time = script->time,
						     .start = script->start,
						     .end = script->end,
						     .script = script },
				 err);
	if (item->kind == RECORD_MAP)
		return add_event(&process->mapped,
				 (struct map_event){ .time = map->time,
						     .start = map->start,
						     .end = map->end,
						     .map = map },
				 err);
	if (item->kind == RECORD_UNMAP && unmap->start < unmap->end)
		return add_event(&process->mapped,
				 (struct map_event){ .time = unmap->time,
						     .start = unmap->start,
						     .end = unmap->end },
				 err);
	return 0;
}

static int add_items(struct maps_process *process, const struct reader_segment *segment,
		     struct err *err)
{
	const struct record_item *item = NULL;
	int status = 0;

	while (!status && (item = reader_next(segment, item)))
		status = maps_add(process, item, err);
	return status;
}

static int by_offset(const void *left, const void *right)
{
	const struct maps_process *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

static int by_time(const void *left, const void *right)
{
	const struct map_event *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->order > b->order) - (a->order < b->order);
}

const struct maps_process *maps_process(const struct maps *maps, uint64_t offset)
{
	struct maps_process key = { .offset = offset };

	return maps->count ? bsearch(&key, maps->processes, maps->count, sizeof(key), by_offset)
			   : NULL;
}

static int index_history(struct maps_history *history, struct err *err)
{
	map_tree_free(&history->tree);
	if (history->count)
		qsort(history->events, history->count, sizeof(*history->events), by_time);
	return map_tree_build(&history->tree, history->events, history->count, err);
}

int maps_index(struct maps_process *process, struct err *err)
{
	int status = index_history(&process->mapped, err);

	return status ? status : index_history(&process->made, err);
}

static int finish(struct maps *maps, struct maps_process *process, struct err *err)
{
	const struct record_process *record = process->process;

	/* Parents are before their children in the file: so a search from one to the next ends,
	 * even in a damaged recording. */
	if (record->forked && record->parent < process->offset)
		process->parent = maps_process(maps, record->parent);
	return maps_index(process, err);
}

int maps_read(struct maps *maps, const struct reader *reader, struct err *err)
{
	int status;

	*maps = (struct maps){ 0 };
	status = runs_add_processes(reader, add_process, maps, err);
	for (size_t i = 0; i < reader->count && !status; i++) {
		const struct reader_segment *segment = &reader->segments[i];
		const struct maps_process *owner = NULL;

		if (segment->kind == RECORD_PROCESS)
			owner = maps_process(maps, segment->offset);
		else if (segment->kind == RECORD_NAMES)
			owner = maps_process(maps, segment->owner);
		if (owner)
			status = add_items((struct maps_process *)owner, segment, err);
	}
	for (size_t i = 0; i < maps->count && !status; i++)
		status = finish(maps, &maps->processes[i], err);
	if (status)
		maps_free(maps);
	return status;
}

void maps_process_fini(struct maps_process *process)
{
	free(process->mapped.events);
	map_tree_free(&process->mapped.tree);
	free(process->made.events);
	free(process->regions);
	map_tree_free(&process->made.tree);
}

void maps_free(struct maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		maps_process_fini(&maps->processes[i]);
	free(maps->processes);
	*maps = (struct maps){ 0 };
}

/* Returns true for memory that the kernel names like a file. */
static bool is_memory(const char *path)
{
	static const char *const starts[] = { "/memfd:", "/dev/zero", "/SYSV", "//anon" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(path, starts[i], strlen(starts[i])) == 0)
			return true;
	return false;
}

/* Returns true for the name of a file without its folder, as other tools may write it; the kernel
 * names no mapping so. */
static bool is_imported(const char *path)
{
	return *path && *path != '/' && *path != '[' && !strchr(path, ':');
}

bool maps_is_path(const char *path)
{
	static const char *const named[] = { "[vdso]", "[kernel]", "[unknown]" };

	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++)
		if (strcmp(path, named[i]) == 0)
			return true;
	return (*path == '/' && !is_memory(path)) || is_imported(path);
}

bool maps_is_memory(const char *path)
{
	/* Since Linux 5.17, anonymous memory may have a name: "[anon:code]". */
	static const char *const starts[] = { "[anon", "[heap]", "[stack" };

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (strncmp(path, starts[i], strlen(starts[i])) == 0)
			return true;
	return is_memory(path);
}

bool maps_is_file(const struct record_map *map)
{
	return maps_is_path(map->path);
}

/* Searches events of the process itself; false: none for that address by then. */
static bool find_own(const struct maps_history *history, uint64_t address, uint64_t time,
		     struct maps_found *found)
{
	const struct map_event *events = history->events;
	size_t last, next;

	map_tree_find(&history->tree, address, time, &last, &next);
	*found = (struct maps_found){ .until = UINT64_MAX };
	if (next != MAP_TREE_NONE)
		found->until = events[next].time;
	if (last == MAP_TREE_NONE)
		return false;
	found->map = events[last].map;
	found->script = events[last].script;
	found->from = events[last].time;
	return true;
}

static bool is_mapped(const struct maps_found *found)
{
	return found->map || found->script;
}

/* Finds the first mapping there later on. */
static struct maps_found find_next(const struct maps_process *process, uint64_t address,
				   struct maps_found before)
{
	struct maps_found found;

	if (before.until == UINT64_MAX ||
	    !find_own(&process->mapped, address, before.until, &found) || !is_mapped(&found))
		return before;
	found.from = before.from;
	return found;
}

static struct maps_found find_mapped(const struct maps_process *process, uint64_t address,
				     uint64_t time)
{
	struct maps_found found = { .until = UINT64_MAX }, own;
	uint64_t until = UINT64_MAX;

	if (find_own(&process->mapped, address, time, &found))
		return is_mapped(&found) ? found : find_next(process, address, found);
	until = found.until;
	own = found;
	for (const struct maps_process *child = process; child->parent; child = child->parent) {
		uint64_t forked = child->process->started;

		if (time > forked)
			time = forked;
		if (!find_own(&child->parent->mapped, address, time, &found))
			continue;
		/* Later changes of the parent do not concern the child. */
		found.from = 0;
		found.until = until;
		if (is_mapped(&found))
			return found;
		break;
	}
	return find_next(process, address, own);
}

/* Adds the function that was compiled last there, and narrows the time in which it is that one. A
 * child of fork() has those of its parent. */
static void find_made(const struct maps_process *process, uint64_t address, uint64_t time,
		      struct maps_found *found)
{
	struct maps_found made;
	bool is_found = find_own(&process->made, address, time, &made);

	if (found->until > made.until)
		found->until = made.until;
	for (; !is_found && process->parent; process = process->parent) {
		if (time > process->process->started)
			time = process->process->started;
		is_found = find_own(&process->parent->made, address, time, &made);
		made.from = 0;
	}
	if (is_found && found->from < made.from)
		found->from = made.from;
	found->script = made.script;
}

struct maps_found maps_find(const struct maps_process *process, uint64_t address, uint64_t time)
{
	struct maps_found found = { .until = UINT64_MAX };

	if (!process)
		return found;
	found = find_mapped(process, address, time);
	if (!found.script && !(found.map && maps_is_file(found.map)))
		find_made(process, address, time, &found);
	return found;
}
