/* SPDX-License-Identifier: MIT
 *
 * test_script_lines.c - lines of Python's instructions and of compiled code, by tables of every
 * form, and by damaged ones; lines that have addresses.
 */
#include "model/profile/script_lines.h"

#include <stdlib.h>
#include <string.h>

#include "tap.h"

/* Returns the line at an offset, by a table in memory of exactly its size: the sanitizer checks it.
 */
static uint32_t line_in(uint32_t language, uint32_t version, const void *table, size_t size,
			uint64_t offset)
{
	static const char texts[] = "f\0a.py";
	struct record_script *script = malloc(sizeof(*script) + sizeof(texts) + size);
	uint32_t line;

	if (!script)
		bail_out("there is no memory");
	*script = (struct record_script){ .language = language,
					  .version = version,
					  .start = 1000,
					  .end = 1006, /* four lines, where each has an address */
					  .line = 10,
					  .table_bytes = (uint32_t)size };
	memcpy(script->text, texts, sizeof(texts));
	if (size)
		memcpy(script->text + sizeof(texts), table, size);
	line = script_line(script, offset);
	free(script);
	return line;
}

static uint32_t line_at(const uint8_t *table, size_t size, uint64_t offset)
{
	return line_in(RECORD_PYTHON, 0x030b0000, table, size, offset);
}

/* An entry: its form, and how many instructions it has. */
#define ENTRY(form, count) (uint8_t)(0x80 | (form) << 3 | ((count)-1))

static void forms(void)
{
	static const uint8_t table[] = {
		ENTRY(0, 2),  0x11,                /* line 10, by columns */
		ENTRY(11, 1), 0x01, 0x02,          /* one further: 11 */
		ENTRY(12, 8), 0x01, 0x02,          /* two further: 13 */
		ENTRY(13, 1), 0x03,                /* one back: 12 */
		ENTRY(14, 1), 0x48, 0x03, 0, 1, 1, /* 100 further: 112 */
		ENTRY(15, 1),                      /* none */
		ENTRY(10, 1), 0x01, 0x02,          /* the same: 112 */
	};
	static const struct {
		uint64_t offset;
		uint32_t line;
	} places[] = { { 0, 10 },  { 3, 10 },   { 4, 11 }, { 6, 13 },   { 21, 13 },
		       { 22, 12 }, { 24, 112 }, { 26, 0 }, { 28, 112 }, { 30, 0 } };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint32_t line = line_at(table, sizeof(table), places[i].offset);

		ok(line == places[i].line, "offset %d is in line %u: %u", (int)places[i].offset,
		   places[i].line, line);
	}
}

/* Tables of older versions: pairs of bytes and lines. */
static void pairs(void)
{
	static const uint8_t table[] = { 4, 1, 2, 5, 6, (uint8_t)-3, 2, 0x80, 4, 2 };
	static const struct {
		uint64_t offset;
		uint32_t steps, ranges;
	} places[] = { { 0, 10, 11 }, { 4, 11, 16 }, { 6, 16, 13 }, { 11, 16, 13 },
		       { 12, 13, 0 }, { 14, 0, 15 }, { 18, 0, 0 } };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		uint64_t offset = places[i].offset;
		uint32_t line = line_in(RECORD_PYTHON, 0x03090000, table, sizeof(table), offset);

		ok(line == places[i].steps, "3.9: offset %d is in line %u: %u", (int)offset,
		   places[i].steps, line);
		line = line_in(RECORD_PYTHON, 0x030a0000, table, sizeof(table), offset);
		ok(line == places[i].ranges, "3.10: offset %d is in line %u: %u", (int)offset,
		   places[i].ranges, line);
	}
	ok(line_in(RECORD_PYTHON, 0x03080000, NULL, 0, 0) == 10 &&
		   line_in(RECORD_PYTHON, 0x03080000, table, 3, 6) == 11,
	   "3.8: a table that is short, or cut");
}

static void damaged(void)
{
	static const uint8_t back[] = { ENTRY(13, 1), 0x7f, 0x01 }, cut[] = { ENTRY(13, 1), 0x48 };
	static const uint8_t loop[] = { 0x7f, 0x7f, 0x7f };
	uint8_t table[64];
	uint32_t lines = 0;

	ok(!line_at(back, sizeof(back), 0), "a line before the first of a file is not known");
	ok(line_at(cut, sizeof(cut), 0) <= 20,
	   "a table that is cut in a number is read to its end");
	ok(!line_at(loop, sizeof(loop), 0),
	   "bytes without a beginning are one entry, without a line");
	ok(!line_at(NULL, 0, 0), "without a table, no line is known");
	srand(1);
	for (int i = 0; i < 20000; i++) {
		for (size_t j = 0; j < sizeof(table); j++)
			table[j] = (uint8_t)(rand() >> 4);
		lines +=
			line_at(table, (size_t)rand() % sizeof(table), (uint64_t)rand() % 100) != 0;
	}
	ok(lines > 0, "any bytes are read without harm");
}

static void compiled(void)
{
	static const struct record_made_line table[] = { { 4, 10 }, { 8, 0 }, { 16, 12 } };
	uint32_t lines[4];

	for (size_t i = 0; i < 4; i++)
		lines[i] = line_in(RECORD_MADE, 0, table, sizeof(table),
				   (uint64_t[]){ 3, 7, 15, 99 }[i]);
	ok(!lines[0] && lines[1] == 10 && !lines[2] && lines[3] == 12,
	   "a line of compiled code is valid up to the next: %u %u %u %u", lines[0], lines[1],
	   lines[2], lines[3]);
	ok(!line_in(RECORD_MADE, 0, table, 7, 99) && !line_in(RECORD_MADE, 0, NULL, 0, 0),
	   "without a whole entry, none is known");
}

static void addresses(void)
{
	ok(line_in(RECORD_PHP, 0, NULL, 0, 0) == 10 && line_in(RECORD_PHP, 0, NULL, 0, 3) == 13,
	   "an address for each line");
	ok(!line_in(RECORD_PHP, 0, NULL, 0, 4) && !line_in(RECORD_PHP, 0, NULL, 0, UINT64_MAX / 2),
	   "an address behind the last line has none");
}

static void lines_of_java(void)
{
	/* Line 10 at first, 11 from the second instruction on, 9 from the third one on. */
	static const uint8_t table[] = { 255, 0, 20, 1 << 3 | 1, 255, 2, 3, 0, 255, 255 };
	static const uint8_t back[] = { 255, 4, 20, 255, 3, 2, 0 };

	ok(line_in(RECORD_JAVA, 17, table, sizeof(table), 0) == 10 &&
		   line_in(RECORD_JAVA, 17, table, sizeof(table), 1) == 11 &&
		   line_in(RECORD_JAVA, 17, table, sizeof(table), 2) == 9,
	   "Java: lines by steps, short and long ones");
	ok(line_in(RECORD_JAVA, 17, back, sizeof(back), 0) == 11 &&
		   line_in(RECORD_JAVA, 17, back, sizeof(back), 2) == 10,
	   "places that do not ascend");
	ok(!line_in(RECORD_JAVA, 17, table, sizeof(table), 3), "an instruction that is not known");
	ok(!line_in(RECORD_JAVA, 17, NULL, 0, 0) && !line_in(RECORD_JAVA, 17, table, 1, 0),
	   "no table, and one that is cut");
}

int main(void)
{
	forms();
	pairs();
	compiled();
	damaged();
	addresses();
	lines_of_java();
	return tap_done();
}
