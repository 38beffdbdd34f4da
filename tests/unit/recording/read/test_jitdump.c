/* SPDX-License-Identifier: MIT
 *
 * test_jitdump.c - dumps of JITs: functions, moves and lines; V8's lines; and dumps that are cut or
 * damaged anywhere.
 */
#include "recording/read/jitdump.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

#define MOVE_BYTES 64 /* of a record */

static int fd;
static char bytes[8192];
static size_t size;

static void put(const void *more, size_t count)
{
	if (size + count > sizeof(bytes))
		bail_out("the dump is too long");
	memcpy(bytes + size, more, count);
	size += count;
}

static void put32(uint32_t a, uint32_t b)
{
	put((uint32_t[]){ a, b }, 8);
}

static void put64(uint64_t word)
{
	put(&word, 8);
}

static void begin(uint64_t flags)
{
	size = 0;
	put32(0x4a695444, 1);
	put32(40, 62);
	put32(0, 42);
	put64(0);
	put64(flags);
}

static size_t record(uint32_t kind, uint64_t time)
{
	put32(kind, 0);
	put64(time);
	return size - 16;
}

static void end_record(size_t start)
{
	uint32_t all = (uint32_t)(size - start);

	memcpy(bytes + start + 4, &all, sizeof(all));
}

static void load(uint64_t time, uint64_t address, uint64_t number, const char *name)
{
	size_t start = record(0, time);

	put32(42, 42);
	put64(address);
	put64(address);
	put64(0x100);
	put64(number);
	put(name, strlen(name) + 1);
	put("code", 4);
	end_record(start);
}

static void move(uint64_t time, uint64_t from, uint64_t to, uint64_t number)
{
	size_t start = record(1, time);

	put32(42, 42);
	put64(to);
	put64(from);
	put64(to);
	put64(0x80);
	put64(number);
	end_record(start);
}

struct line {
	uint64_t address;
	uint32_t line;
	const char *file;
	size_t bytes; /* of the file, without its final 0; 0: by itself */
};

static void put_lines(uint64_t address, const struct line *lines, uint64_t count)
{
	size_t start = record(2, 1);

	put64(address);
	put64(count);
	for (uint64_t i = 0; i < count; i++) {
		size_t length = lines[i].bytes ? lines[i].bytes : strlen(lines[i].file);

		put64(lines[i].address);
		put32(lines[i].line, 0);
		put(lines[i].file, length);
		put("", 1);
	}
	while ((size - start) % 8)
		put("", 1);
	end_record(start);
}

static int read_dump(struct jitdump *dump, size_t length)
{
	if (ftruncate(fd, 0) || pwrite(fd, bytes, length, 0) != (ssize_t)length)
		bail_out("a file cannot be written");
	return jitdump_read(dump, fd);
}

static bool has(const struct jitdump *dump, size_t i, const char *name, uint64_t time,
		uint64_t start, uint64_t end)
{
	const struct jitdump_function *function = &dump->functions[i];

	return i < dump->count && strcmp(function->name, name) == 0 && function->time == time &&
	       function->start == start && function->end == end;
}

static void functions(void)
{
	struct jitdump dump;

	begin(0);
	load(10, 0x1000, 1, "first");
	load(20, 0x1000, 2, "second");
	move(30, 0x1000, 0x2000, 2);
	move(40, 0x7777, 0x3000, 2);
	move(50, 0x1000, 0x3000, 9);
	move(60, 0x2000, 0x4000, 2);
	end_record(record(3, 70));
	load(80, 0x9000, 3, "behind the end");
	ok(!read_dump(&dump, size) && dump.count == 4 && !dump.has_ticks, "four functions: %zu",
	   dump.count);
	ok(has(&dump, 0, "first", 10, 0x1000, 0x1100) &&
		   has(&dump, 1, "second", 20, 0x1000, 0x1100),
	   "each with its time and addresses");
	ok(has(&dump, 2, "second", 30, 0x2000, 0x2080) &&
		   has(&dump, 3, "second", 60, 0x4000, 0x4080),
	   "one that moves is the same; code that is elsewhere, or unknown, does not move");
	jitdump_free(&dump);
	begin(1);
	load(1, 0, 1, "");
	load(1, UINT64_MAX - 4, 1, "beyond");
	load(1, RECORD_SCRIPTS_START - 4, 1, "beyond");
	ok(!read_dump(&dump, size) && dump.count == 0 && dump.has_ticks,
	   "no name, and addresses that no program has, are left out");
	jitdump_free(&dump);
}

static bool lines_are(const struct jitdump_function *function, const char *file,
		      const struct record_made_line *lines, size_t count)
{
	if (!function->file || strcmp(function->file, file) != 0 || function->line_count != count)
		return false;
	for (size_t i = 0; i < count; i++)
		if (function->lines[i].offset != lines[i].offset ||
		    function->lines[i].line != lines[i].line)
			return false;
	return true;
}

static void lines(void)
{
	static const struct line given[] = { { 0x1000, 5, "a.c", 0 },
					     { 0x1020, 7, "b.h", 0 },
					     { 0x1010, 6, "a.c", 0 },
					     { 0x1030, 8, "\xff", 0 },
					     { 0x5000, 9, "a.c", 0 } };
	static const struct line in_gamma[] = { { 0x2000, 5, "a.c", 0 } };
	static const struct record_made_line found[] = {
		{ 0, 5 }, { 0x10, 6 }, { 0x20, 0 }, { 0x30, 8 }
	};
	struct jitdump dump;

	begin(0);
	put_lines(0x1000, given, 5);
	load(10, 0x1000, 1, "alpha");
	load(20, 0x1000, 2, "beta");
	put_lines(0x1000, in_gamma, 1);
	load(30, 0x2000, 3, "gamma");
	ok(!read_dump(&dump, size) && lines_are(&dump.functions[0], "a.c", found, 3) == false &&
		   dump.functions[0].line_count == 4,
	   "lines inside the function, in order");
	/* The fourth has the file of the third, a.c. */
	ok(lines_are(&dump.functions[0], "a.c", found, 4), "with those of other files unknown");
	ok(!dump.functions[1].line_count && !dump.functions[2].line_count,
	   "they belong to the next function, if it is the one that they are about");
	jitdump_free(&dump);
}

static void v8(void)
{
	static const struct line shifted[] = { { 0x1040, 5, "node:url", 0 },
					       { 0x1050, 6, "node:url", 0 } };
	static const struct line freed[] = { { 0x1040, 5, "\x80\x03\0\0\0\0", 6 },
					     { 0x1050, 6, "\x80\x03\0\0\0\0", 6 } };
	static const struct record_made_line found[] = { { 0, 5 }, { 0x10, 6 } };
	struct jitdump dump;

	begin(0);
	put_lines(0x1000, shifted, 2);
	load(10, 0x1000, 1, "JS:*get node:url:5:1");
	put_lines(0x1000, freed, 2);
	load(20, 0x1000, 2, "JS:*get /ab.js:5:1");
	put_lines(0x1000, freed, 2);
	load(30, 0x1000, 3, "JS:*get /abcdefgh.js:5:1");
	ok(!read_dump(&dump, size) && dump.count == 3 &&
		   lines_are(&dump.functions[0], "node:url", found, 2),
	   "V8's addresses are 64 too high");
	ok(lines_are(&dump.functions[1], "/ab.js", found, 2),
	   "a file that is freed memory is that of the function's name");
	ok(!dump.functions[2].line_count, "if it has that length");
	jitdump_free(&dump);
}

/* Cuts a dump anywhere, and changes each of its bytes: what is found must be valid. */
static void damaged(void)
{
	static const struct line given[] = { { 0x1000, 5, "a.c", 0 }, { 0x1010, 6, "\xff", 0 } };
	struct jitdump dump;
	size_t whole, found = 0;

	begin(0);
	put_lines(0x1000, given, 2);
	load(10, 0x1000, 1, "alpha");
	move(20, 0x1000, 0x2000, 1);
	whole = size;
	for (size_t length = 0; length <= whole; length++)
		if (!read_dump(&dump, length)) {
			found += dump.count;
			jitdump_free(&dump);
		}
	ok(found == MOVE_BYTES + 2, "a dump that is cut has its whole records: %zu", found);
	found = 0;
	for (size_t i = 0; i < whole * 8; i++) {
		bytes[i / 8] ^= (char)(1 << i % 8);
		if (!read_dump(&dump, whole)) {
			for (size_t j = 0; j < dump.count; j++)
				found += dump.functions[j].start < dump.functions[j].end &&
					 dump.functions[j].end <= RECORD_SCRIPTS_START;
			found -= dump.count;
			jitdump_free(&dump);
		}
		bytes[i / 8] ^= (char)(1 << i % 8);
	}
	ok(!found, "any change leaves valid functions");
	bytes[0]++;
	ok(read_dump(&dump, whole) < 0, "another kind of file is refused");
}

int main(void)
{
	fd = memfd_create("jitdump", MFD_CLOEXEC);
	if (fd < 0)
		bail_out("there is no memory");
	functions();
	lines();
	v8();
	damaged();
	return tap_done();
}
