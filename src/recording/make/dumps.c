/* SPDX-License-Identifier: MIT */
#include "dumps.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bisect.h"
#include "base/glob.h"
#include "base/vec.h"
#include "names.h"
#include "recording/read/jitdump.h"
#include "timebase.h"

#define ITEM_BYTES_MAX ((size_t)1 << 20)

/* A process that has mapped a dump. */
struct dump {
	uint64_t process; /* offset of its segment */
	const char *path;
};

struct import {
	const struct creation *creation;
	const struct reader *reader;
	struct record_instant now; /* on the recording's clock and on CLOCK_MONOTONIC */
	struct dump *dumps;
	size_t dump_count;
	struct names_pcs pcs; /* of the process's stacks */
	struct item_list items;
	int functions;
};

/* ---- which dumps ---- */

static bool is_dump(const char *path)
{
	const char *slash = strrchr(path, '/');

	return *path == '/' && glob_match("jit-[0-9]*.dump", slash + 1);
}

static int note_dump(struct import *import, uint64_t process, const char *path)
{
	struct dump *more;

	for (size_t i = 0; i < import->dump_count; i++)
		if (import->dumps[i].process == process && strcmp(import->dumps[i].path, path) == 0)
			return 0;
	more = vec_room(import->dumps, import->dump_count, sizeof(*more));
	if (!more)
		return -ENOMEM;
	import->dumps = more;
	more[import->dump_count++] = (struct dump){ process, path };
	return 0;
}

/* Looks through the mappings of all processes. */
static int find_dumps(struct import *import)
{
	int status = 0;

	for (size_t i = 0; i < import->reader->count; i++) {
		const struct reader_segment *segment = &import->reader->segments[i];
		uint64_t process =
			segment->kind == RECORD_PROCESS ? segment->offset : segment->owner;
		const struct record_item *item = NULL;

		if (segment->kind != RECORD_PROCESS && segment->kind != RECORD_NAMES)
			continue;
		while (!status && (item = reader_next(segment, item))) {
			const char *path = ((const struct record_map *)item)->path;

			if (item->kind == RECORD_MAP && is_dump(path))
				status = note_dump(import, process, path);
		}
	}
	return status;
}

/* ---- which functions ---- */

static uint64_t pc_at(const void *pcs, size_t i)
{
	return ((const uint64_t *)pcs)[i];
}

/* Returns true if a stack has the function. A return address may be just behind it. */
static bool is_sampled(const struct import *import, const struct jitdump_function *function)
{
	return bisect(pc_at, import->pcs.list, import->pcs.count, function->end) >
	       bisect(pc_at, import->pcs.list, import->pcs.count, function->start - 1);
}

/* ---- writing ---- */

/* Converts a time to the recording's clock: both ran evenly since the command was started. */
static uint64_t time_of(const struct import *import, uint64_t time, bool is_ticks)
{
	const struct record_instant *then = &import->creation->started, *now = &import->now;
	double ns = (double)(now->ns - then->ns);

	if (is_ticks == (import->creation->clock == RECORD_CLOCK_TICKS))
		return time;
	/* The CPU's counter, which nothing else here has read. Valid from the start on. */
	if (is_ticks || ns <= 0 || time <= then->ns)
		return then->ticks;
	return then->ticks +
	       (uint64_t)((double)(time - then->ns) / ns * (double)(now->ticks - then->ticks));
}

static int put(struct import *import, const struct jitdump_function *function, uint64_t time)
{
	const char *file = function->file ? function->file : "";
	size_t name = strlen(function->name) + 1, path = strlen(file) + 1;
	size_t table = function->line_count * sizeof(*function->lines);
	struct record_script *item;

	if (sizeof(*item) + name + path > ITEM_BYTES_MAX)
		return 0;
	if (sizeof(*item) + name + path + table > ITEM_BYTES_MAX)
		table = 0;
	item = item_list_add(&import->items, RECORD_SCRIPT, sizeof(*item) + name + path + table);
	if (!item)
		return -ENOMEM;
	item->time = time;
	item->start = function->start;
	item->end = function->end;
	item->language = RECORD_MADE;
	item->line = function->line_count ? function->lines[0].line : 0;
	item->table_bytes = (uint32_t)table;
	memcpy(item->text, function->name, name);
	memcpy(item->text + name, file, path);
	memcpy(item->text + name + path, function->lines, table);
	import->functions++;
	return 0;
}

/* ---- one dump ---- */

static int open_trusted(const char *path)
{
	/* Not a link: in a directory writable by all, it might lead anywhere. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	struct stat file;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) &&
	    (file.st_uid == geteuid() || file.st_uid == 0))
		return fd;
	close(fd);
	return -EPERM;
}

static int import_functions(struct import *import, const struct dump *dump,
			    const struct jitdump *functions)
{
	int status = names_find_pcs(&import->pcs, import->reader, dump->process);

	import->items.size = 0;
	for (size_t i = 0; i < functions->count && !status; i++) {
		const struct jitdump_function *function = &functions->functions[i];

		if (is_sampled(import, function))
			status = put(import, function,
				     time_of(import, function->time, functions->has_ticks));
	}
	return !status && import->items.size
		       ? names_write(import->creation, dump->process, &import->items)
		       : status;
}

static int import_dump(struct import *import, const struct dump *dump)
{
	int fd = open_trusted(dump->path), status;
	struct jitdump functions;

	if (fd < 0)
		return 0;
	status = jitdump_read(&functions, fd);
	close(fd);
	if (status)
		return status == -ENOMEM ? status : 0;
	status = import_functions(import, dump, &functions);
	jitdump_free(&functions);
	return status;
}

int dumps_import(const struct creation *creation, const struct reader *reader)
{
	struct import import = { .creation = creation, .reader = reader };
	int status = find_dumps(&import);

	if (import.dump_count)
		import.now = timebase_beside(creation->clock, CLOCK_MONOTONIC);
	for (size_t i = 0; i < import.dump_count && !status; i++)
		status = import_dump(&import, &import.dumps[i]);
	free(import.dumps);
	free(import.pcs.list);
	free(import.items.bytes);
	return status ? status : import.functions;
}
