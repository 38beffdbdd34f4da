/* SPDX-License-Identifier: MIT */
#include "recording/read/jitdump.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/vec.h"
#include "recording/read/jit_name.h"

#define MAGIC           0x4a695444u /* of this machine's byte order */
#define NAME_BYTES      4096        /* of a function; a longer one is left out */
#define LINES_BYTES_MAX ((size_t)4 << 20)
#define NO_NAME         "\xff" /* stands for the file of the entry before */

/* V8 adds the size of an ELF header to the addresses of lines: `perf inject` puts code behind
 * one. */
#define V8_SHIFT 64

enum kind { LOAD = 0, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3 };

struct head {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};
#define FLAG_TICKS 1u

struct record_head {
	uint32_t kind, size;
	uint64_t time;
};

struct load {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t vma, address, size, number;
	char name[NAME_BYTES];
};
#define LOAD_BYTES offsetof(struct load, name)

struct move {
	struct record_head head;
	uint32_t pid, tid;
	uint64_t vma, from, to, size, number;
};

struct lines_head {
	struct record_head head;
	uint64_t address, count;
};

struct entry {
	uint64_t address;
	uint32_t line, column;
};

struct reading {
	struct jitdump *dump;
	int fd;
	uint64_t at, end;      /* of the file */
	struct hash by_number; /* of the code -> index of its function */
	char *lines;           /* the last DEBUG_INFO, behind its head; NULL: none */
	size_t lines_size;
	struct lines_head lines_head;
};

/* Reads as many bytes as there are, up to a size. */
static size_t read_at(const struct reading *reading, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;
	ssize_t more = 1;

	while (done < size && more > 0) {
		more = pread(reading->fd, (char *)to + done, size - done, (off_t)(offset + done));
		done += more > 0 ? (size_t)more : 0;
	}
	return done;
}

static void forget_lines(struct reading *reading)
{
	free(reading->lines);
	reading->lines = NULL;
}

/* ---- lines ---- */

/* Entries being read. */
struct entries {
	const char *at, *end;
	const char *file; /* of the last one; "": none */
	size_t stride;    /* bytes of each, whose file is not looked at; 0: up to its final 0 */
};

/* Goes to the next entry, whose file may be that of the one before. */
static bool next_entry(struct entries *entries, struct entry *entry)
{
	size_t left = (size_t)(entries->end - entries->at);
	const char *file = entries->at + sizeof(*entry), *end;

	if (left <= sizeof(*entry) || left < entries->stride)
		return false;
	memcpy(entry, entries->at, sizeof(*entry));
	if (entries->stride) {
		entries->at += entries->stride;
		return true;
	}
	end = memchr(file, '\0', left - sizeof(*entry));
	if (!end)
		return false;
	if (strcmp(file, NO_NAME) != 0)
		entries->file = file;
	entries->at = end + 1;
	return true;
}

/* V8 writes freed memory in place of the name of a user's file, as many bytes as the name has. The
 * function's own name contains it: then entries have the length of that. False: they have not, and
 * cannot be read. */
static bool mend(struct entries *entries, struct jitdump_function *function, uint64_t count)
{
	struct entries first = *entries;
	struct jit_name parts;
	struct entry entry;

	jit_name_parse(&parts, function->name);
	if (!parts.file)
		return true;
	function->file = strndup(parts.file, parts.file_length);
	if (function->file && next_entry(&first, &entry) && strcmp(first.file, function->file) == 0)
		return true;
	entries->stride = sizeof(entry) + parts.file_length + 1;
	entries->file = function->file;
	/* A record is filled up to 8 bytes. */
	return function->file &&
	       (size_t)(entries->end - entries->at) / 8 == (entries->stride * count + 7) / 8;
}

/* Returns by how much the addresses of all entries are too high. */
static uint64_t shift_of(struct entries entries, const struct jitdump_function *function)
{
	struct entry entry;

	while (next_entry(&entries, &entry))
		if (entry.address < function->start + V8_SHIFT)
			return 0;
	return V8_SHIFT;
}

static int by_offset(const void *left, const void *right)
{
	const struct record_made_line *a = left, *b = right;

	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Adds the lines of the entries. A line of another file, as of an inlined function, is unknown. */
static void add_entries(struct jitdump_function *function, struct entries entries, uint64_t count)
{
	uint64_t shift;
	struct entry entry;

	if (!mend(&entries, function, count))
		return;
	shift = shift_of(entries, function);
	for (uint64_t i = 0; i < count && next_entry(&entries, &entry); i++) {
		bool is_own;

		if (!function->file)
			function->file = strdup(entries.file);
		is_own = function->file && strcmp(function->file, entries.file) == 0;
		if (entry.address - shift < function->start ||
		    entry.address - shift >= function->end)
			continue;
		function->lines[function->line_count++] = (struct record_made_line){
			.offset = (uint32_t)(entry.address - shift - function->start),
			.line = is_own ? entry.line : 0,
		};
	}
	qsort(function->lines, function->line_count, sizeof(*function->lines), by_offset);
}

/* Gives the last DEBUG_INFO to the function that it is about. Returns 0 or -ENOMEM. */
static int add_lines(struct reading *reading, struct jitdump_function *function)
{
	uint64_t count = reading->lines_head.count;
	struct entries entries = { .at = reading->lines, .file = "" };

	if (!reading->lines || reading->lines_head.address != function->start || !count ||
	    function->end - function->start > UINT32_MAX)
		return 0;
	entries.end = reading->lines + reading->lines_size;
	if (count > reading->lines_size / (sizeof(struct entry) + 1))
		return 0;
	function->lines = calloc(count, sizeof(*function->lines));
	if (!function->lines)
		return -ENOMEM;
	add_entries(function, entries, count);
	return 0;
}

static int keep_lines(struct reading *reading, uint32_t size)
{
	struct lines_head *head = &reading->lines_head;

	forget_lines(reading);
	if (size < sizeof(*head) || size > LINES_BYTES_MAX ||
	    read_at(reading, head, sizeof(*head), reading->at) < sizeof(*head))
		return 0;
	reading->lines_size = size - sizeof(*head);
	reading->lines = malloc(reading->lines_size + 1);
	if (!reading->lines)
		return -ENOMEM;
	reading->lines_size =
		read_at(reading, reading->lines, reading->lines_size, reading->at + sizeof(*head));
	return 0;
}

/* ---- functions ---- */

static bool is_valid(uint64_t start, uint64_t size)
{
	return size && start < RECORD_SCRIPTS_START && size < RECORD_SCRIPTS_START - start;
}

static int append(struct reading *reading, const struct jitdump_function *function, uint64_t number)
{
	struct jitdump *dump = reading->dump;
	uint32_t *place = hash_place(&reading->by_number, number);
	struct jitdump_function *more = vec_room(dump->functions, dump->count, sizeof(*more));

	if (more)
		dump->functions = more;
	if (!place || !more || dump->count >= HASH_NONE)
		return -ENOMEM;
	*place = (uint32_t)dump->count;
	dump->functions[dump->count++] = *function;
	return 0;
}

static void function_free(struct jitdump_function *function)
{
	if (function->is_moved)
		return;
	free(function->name);
	free(function->file);
	free(function->lines);
}

static int add_load(struct reading *reading, uint32_t size)
{
	struct load load;
	size_t bytes = size < sizeof(load) ? size : sizeof(load);
	struct jitdump_function function;
	int status;

	if (size <= LOAD_BYTES || read_at(reading, &load, bytes, reading->at) < bytes ||
	    !memchr(load.name, '\0', bytes - LOAD_BYTES) || !*load.name ||
	    !is_valid(load.address, load.size))
		return 0;
	function = (struct jitdump_function){ .time = load.head.time,
					      .start = load.address,
					      .end = load.address + load.size,
					      .name = strdup(load.name) };
	status = function.name ? add_lines(reading, &function) : -ENOMEM;
	if (!status)
		status = append(reading, &function, load.number);
	if (status)
		function_free(&function);
	return status;
}

/* Adds the same function at other addresses. */
static int add_move(struct reading *reading, uint32_t size)
{
	struct jitdump_function function;
	const uint32_t *index;
	struct move move;

	if (size < sizeof(move) ||
	    read_at(reading, &move, sizeof(move), reading->at) < sizeof(move))
		return 0;
	index = hash_find(&reading->by_number, move.number);
	if (!index || !is_valid(move.to, move.size))
		return 0;
	function = reading->dump->functions[*index];
	if (function.start != move.from)
		return 0;
	function.time = move.head.time;
	function.start = move.to;
	function.end = move.to + move.size;
	function.is_moved = true;
	return append(reading, &function, move.number);
}

static int add_record(struct reading *reading, const struct record_head *head)
{
	int status;

	switch (head->kind) {
	case LOAD:
		status = add_load(reading, head->size);
		forget_lines(reading);
		return status;
	case MOVE:
		return add_move(reading, head->size);
	case DEBUG_INFO:
		return keep_lines(reading, head->size);
	default:
		return 0;
	}
}

/* Reads the head of the next record. False: there is none, or not a whole one. */
static bool next_record(const struct reading *reading, struct record_head *head)
{
	return reading->end - reading->at >= sizeof(*head) &&
	       read_at(reading, head, sizeof(*head), reading->at) == sizeof(*head) &&
	       head->kind != CLOSE && head->size >= sizeof(*head) &&
	       head->size <= reading->end - reading->at;
}

static int open_dump(struct reading *reading)
{
	struct stat file;
	struct head head;

	if (fstat(reading->fd, &file))
		return -errno;
	if (file.st_size < 0 || read_at(reading, &head, sizeof(head), 0) < sizeof(head) ||
	    head.magic != MAGIC || head.size < sizeof(head) || head.size > (uint64_t)file.st_size)
		return -EINVAL;
	reading->at = head.size;
	reading->end = (uint64_t)file.st_size;
	reading->dump->has_ticks = head.flags & FLAG_TICKS;
	return 0;
}

int jitdump_read(struct jitdump *dump, int fd)
{
	struct reading reading = { .dump = dump, .fd = fd };
	struct record_head head;
	int status;

	*dump = (struct jitdump){ 0 };
	status = open_dump(&reading);
	while (!status && next_record(&reading, &head)) {
		status = add_record(&reading, &head);
		reading.at += head.size;
	}
	forget_lines(&reading);
	hash_free(&reading.by_number);
	if (status)
		jitdump_free(dump);
	return status;
}

void jitdump_free(struct jitdump *dump)
{
	for (size_t i = 0; i < dump->count; i++)
		function_free(&dump->functions[i]);
	free(dump->functions);
	*dump = (struct jitdump){ 0 };
}
