/* SPDX-License-Identifier: MIT
 *
 * seeds_cpython.c - inputs of fuzz_cpython.c: three functions of each version, whole, with names.
 */
#include "cpython.h"

#include <string.h>

#include "seeds.h"

/* Places of things, in words. */
enum {
	INTERPRETER = 0x100,
	THREAD = 0x560,
	FRAMES = 0x600, /* each this many words, which is more than any version has: */
	FRAME = 0x40,
	CODE = 0x700,
	INSTRUCTIONS = 0x740,
	TEXT = 0x780,
	ROOT = 0x7c0,
};

static uint16_t words[CPYTHON_WORDS];

static uint16_t to(int place)
{
	return (uint16_t)(CPYTHON_POINTER | place);
}

static void put(int place, int32_t offset, uint16_t value)
{
	words[place + offset / 8] = value;
}

/* The word of the stack that has the anchor of an activation, or a pointer to its frame. */
static int anchor(int activation)
{
	return CPYTHON_STACK + (2 * activation + 2) * CPYTHON_FRAME_WORDS - 40;
}

static void put_code(const struct cpython_layout *row)
{
	put(CODE, 8, to(CPYTHON_TYPE));
	put(CODE, row->code_units, 16);
	if (row->code_instructions)
		put(CODE, row->code_instructions, to(INSTRUCTIONS));
	put(CODE, row->code_name, to(TEXT));
	put(CODE, row->code_file, to(TEXT + 1));
	put(INSTRUCTIONS, row->bytes_length, 32);
	/* Compact, ASCII, a byte a character. */
	put(TEXT, row->text_length, 5);
	put(TEXT, row->text_state, 1 << 2 | 1 << 5 | 1 << 6);
	put(TEXT + 1, row->text_state, 1 << 2 | 1 << 5 | 1 << 6);
}

static void put_frame(const struct cpython_layout *row, int number, uint16_t previous)
{
	int frame = FRAMES + number * FRAME;

	put(frame, row->frame_code, to(CODE));
	put(frame, row->frame_previous, previous);
	put(frame, row->frame_instruction,
	    row->frame_unit ? 2 : to(CODE + row->code_bytes / 8 + number));
}

/* Activations of one frame each. */
static void put_stack(const struct cpython_layout *row)
{
	uint16_t first = 0;

	for (int i = 2; i >= 0; i--) {
		uint16_t outer = i == 2 ? 0 : to(FRAMES + (i + 1) * FRAME);

		if (row->code_instructions) { /* frames are objects */
			put_frame(row, i, outer);
			put(anchor(i), 0, to(FRAMES + i * FRAME));
			first = to(FRAMES + i * FRAME);
		} else if (row->cframe_frame >= 0) {
			put_frame(row, i, outer);
			put(anchor(i), row->cframe_frame, to(FRAMES + i * FRAME));
			put(anchor(i), row->cframe_previous, i == 2 ? to(ROOT) : to(anchor(i + 1)));
			first = to(anchor(i));
		} else {
			put_frame(row, i, to(anchor(i)));
			put(anchor(i), row->frame_previous, outer);
			words[anchor(i) + row->frame_owner / 8] =
				(uint16_t)(row->frame_stack_owner << row->frame_owner % 8 * 8);
			first = to(FRAMES + i * FRAME);
		}
	}
	put(THREAD, row->thread_frame, first);
}

void seeds_cpython(void)
{
	for (size_t i = 0; i < CPYTHON_ROWS; i++) {
		const struct cpython_layout *row = &layouts[i];
		FILE *file = seeds_create("cpython", "memory", (int)i);

		memset(words, 0, sizeof(words));
		put(0, row->runtime_interpreters, to(INTERPRETER));
		put(INTERPRETER, row->interpreter_threads, to(THREAD));
		put_code(row);
		put_stack(row);
		putc((int)i, file);
		putc(0, file);
		fwrite(words, sizeof(words), 1, file);
		seeds_finish(file);
	}
}
