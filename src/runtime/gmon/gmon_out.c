/* SPDX-License-Identifier: MIT */
#include "gmon_out.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#include "arcs_private.h"
#include "objects.h"
#include "sys.h"

/* As in recording/read/gmon.h, which is for readers. */
#define MAGIC     "gmon"
#define VERSION   1
#define HISTOGRAM 0
#define ARC       1
#define COUNT_MAX INT32_MAX

#define ADDRESS_BYTES sizeof(uintptr_t)

/* The file being written. Long runs of zeroes become holes. */
static struct {
	int fd;
	int error;        /* errno; 0: none so far */
	uint64_t written; /* bytes in the file, including those skipped as zeroes */
	size_t used;      /* bytes in the buffer */
	bool has_content; /* not only zeroes */
	uint8_t buffer[1 << 15];
} file;

static char path[PATH_MAX];

/* ---- bytes ---- */

static void flush(void)
{
	for (size_t done = 0; file.has_content && done < file.used && !file.error;) {
		long more = sys_pwrite(file.fd, file.buffer + done, file.used - done,
				       file.written + done);

		if (more > 0)
			done += (size_t)more;
		else if (more != -EINTR)
			file.error = more < 0 ? (int)-more : EIO;
	}
	file.written += file.used;
	file.used = 0;
	file.has_content = false;
}

static void put_byte(uint8_t byte)
{
	if (file.used == sizeof(file.buffer))
		flush();
	file.buffer[file.used++] = byte;
	file.has_content |= byte != 0;
}

static void put(uint64_t number, size_t size)
{
	for (; size; size--, number >>= 8)
		put_byte((uint8_t)number);
}

static void put_text(const char *text, size_t size)
{
	for (; size; size--)
		put_byte((uint8_t)(*text ? *text++ : 0));
}

/* ---- pieces of files ---- */

static bool is_same_file(const struct gmon_object *a, const struct gmon_object *b)
{
	return a->inode == b->inode && strcmp(a->path, b->path) == 0;
}

/* Returns whether the predicate holds for any piece of the same file. */
static bool is_any(const struct gmon_object *which, bool (*holds)(const struct gmon_object *piece))
{
	for (struct gmon_object *piece = NULL; (piece = objects_next(piece));)
		if (is_same_file(piece, which) && holds(piece))
			return true;
	return false;
}

static bool piece_is_program(const struct gmon_object *piece)
{
	return piece->is_program;
}

/* ---- names ---- */

static size_t append(size_t at, const char *text)
{
	for (; *text && at + 1 < sizeof(path); text++)
		path[at++] = *text;
	path[at] = '\0';
	return at;
}

static size_t append_number(size_t at, uint64_t number)
{
	char digits[24];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	return append(at, digits + i);
}

static const char *last_part(const char *text)
{
	const char *slash = strrchr(text, '/');

	return slash ? slash + 1 : text;
}

/* Returns how many other files of the same name come before it in the list. */
static uint32_t namesakes(const struct gmon_object *object)
{
	uint32_t count = 0;

	for (struct gmon_object *other = NULL; (other = objects_next(other)) && other != object;)
		count += other->first == other && !other->is_program &&
			 strcmp(other->path, object->path) != 0 &&
			 strcmp(last_part(other->path), last_part(object->path)) == 0;
	return count;
}

static void name_file(const struct gmon_out *out, const struct gmon_object *object)
{
	size_t at = append(0, out->prefix ? out->prefix : "gmon.out");
	uint32_t others;

	if (out->prefix || out->is_child) {
		at = append(at, ".");
		at = append_number(at, (uint64_t)sys_getpid());
	}
	if (is_any(object, piece_is_program))
		return;
	at = append(at, ".");
	at = append(at, last_part(object->path));
	others = namesakes(object);
	if (others) {
		at = append(at, ".");
		append_number(at, others + 1);
	}
}

/* ---- contents ---- */

static void write_header(void)
{
	put_text(MAGIC, 4);
	put(VERSION, 4);
	put(0, 12);
}

/*
 * Writes one histogram: of each count, the part above `from`. A counter has 16 bits, and gprof adds
 * up histograms of the same addresses, so the largest count determines how many are written. False:
 * this was the last.
 */
static bool write_histogram(const struct gmon_object *object, uint32_t rate, uint64_t from)
{
	const uint32_t *bins = object->bins;
	uint32_t count = objects_bins(object);
	bool is_left = false;

	put_byte(HISTOGRAM);
	put(object->address, ADDRESS_BYTES);
	put(object->address + (uint64_t)count * OBJECTS_BIN_BYTES, ADDRESS_BYTES);
	put(count, 4);
	put(rate, 4);
	put_text("seconds", 15);
	put_byte('s');
	for (uint32_t i = 0; i < count; i++) {
		uint64_t left = bins && bins[i] > from ? bins[i] - from : 0;

		put(left < UINT16_MAX ? left : UINT16_MAX, 2);
		is_left = is_left || left > UINT16_MAX;
	}
	return is_left;
}

static uint64_t address_in(const struct gmon_object *object, uintptr_t address)
{
	return address - object->start + object->address;
}

static void write_arc(const struct gmon_object *callee, const struct record_arc *arc,
		      uint32_t epoch)
{
	const struct gmon_object *caller = objects_then((uintptr_t)arc->from, epoch);
	uint64_t left = arc->count, part;

	for (; left; left -= part) {
		part = left < COUNT_MAX ? left : COUNT_MAX;
		put_byte(ARC);
		put(caller && is_same_file(caller, callee)
			    ? address_in(caller, (uintptr_t)arc->from)
			    : callee->entry,
		    ADDRESS_BYTES);
		put(address_in(callee, (uintptr_t)arc->self), ADDRESS_BYTES);
		put(part, 4);
	}
}

/* Returns the object that was called; NULL: unknown, or not called since the fork. */
static struct gmon_object *callee_of(const struct record_arc *arc, uint32_t epoch)
{
	return arc->count ? objects_then((uintptr_t)arc->self, epoch) : NULL;
}

/* Calls a function for every arc. */
static void for_each_arc(const struct gmon_object *which,
			 void (*take)(const struct gmon_object *which, struct gmon_object *callee,
				      const struct record_arc *arc, uint32_t epoch))
{
	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++) {
			const struct record_arc *arc = &chunk->arcs.arcs[i];
			struct gmon_object *callee = callee_of(arc, chunk->epoch);

			if (callee)
				take(which, callee, arc, chunk->epoch);
		}
}

static void mark_called(const struct gmon_object *which, struct gmon_object *callee,
			const struct record_arc *arc, uint32_t epoch)
{
	(void)which, (void)arc, (void)epoch;
	callee->is_called = true;
}

static void write_if_in(const struct gmon_object *which, struct gmon_object *callee,
			const struct record_arc *arc, uint32_t epoch)
{
	if (is_same_file(callee, which))
		write_arc(callee, arc, epoch);
}

/* ---- files ---- */

static void complain(void)
{
	static const char words[] = "libprofil: cannot write ";
	size_t length = strlen(path);

	sys_write(2, words, sizeof(words) - 1);
	path[length < sizeof(path) - 1 ? length : length - 1] = '\n';
	sys_write(2, path, length < sizeof(path) - 1 ? length + 1 : length);
}

static bool write_file(const struct gmon_out *out, struct gmon_object *which)
{
	name_file(out, which);
	file.fd = sys_create(path);
	file.error = file.fd < 0 ? -file.fd : 0;
	file.written = file.used = 0;
	file.has_content = false;
	if (file.fd >= 0) {
		write_header();
		for (struct gmon_object *object = NULL; (object = objects_next(object));)
			if (object->first == object && is_same_file(object, which))
				for (uint64_t from = 0; write_histogram(object, out->rate, from);)
					from += UINT16_MAX;
		for_each_arc(which, write_if_in);
		flush();
		if (!file.error)
			file.error = -sys_ftruncate(file.fd, file.written);
		sys_close(file.fd);
	}
	if (file.error)
		complain();
	return !file.error;
}

/* Returns true once per file, not for each of its pieces. */
static bool is_first_of_file(const struct gmon_object *object)
{
	for (struct gmon_object *other = NULL; (other = objects_next(other)) && other != object;)
		if (is_same_file(other, object))
			return false;
	return true;
}

static bool is_worth_it(const struct gmon_object *piece)
{
	return piece->is_program || piece->is_called || piece->times;
}

bool gmon_out_write(const struct gmon_out *out)
{
	bool good = true;

	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		object->is_called = false;
	for_each_arc(NULL, mark_called);
	for (struct gmon_object *object = NULL; (object = objects_next(object));)
		if (is_first_of_file(object) && is_any(object, is_worth_it))
			good = write_file(out, object) && good;
	return good;
}
