/* SPDX-License-Identifier: MIT
 *
 * seeds_scripts.c - inputs of fuzz_scripts.c: an activation of each interpreter, whole, with a
 * function that has a name.
 */
#include "scripts.h"

#include <string.h>

#include "seeds.h"

static unsigned char image[(SCRIPTS_GONE + 1) * sizeof(uintptr_t)];

/* Places of things, a page or a part of one each. */
enum { STATE = 0, FRAME = 0x1000, CODE = 0x2000, BODY = 0x2800, TEXT = 0x3000, MORE = 0x4000 };

static uintptr_t at(uintptr_t place)
{
	return SCRIPTS_BASE + place;
}

static void put(uintptr_t place, int32_t offset, uint64_t value, size_t size)
{
	memcpy(image + place + offset, &value, size);
}

static void put_register(int native, int number, uintptr_t value)
{
	put((SCRIPTS_WORDS + (uintptr_t)native * SCRIPTS_REGISTERS + (uintptr_t)number) * 8, 0,
	    value, 8);
}

/* Writes all words that are not 0, pointers as such. */
static void finish(enum scripts_kind kind)
{
	FILE *file = seeds_create("scripts", "memory", (int)kind);

	putc(kind, file);
	for (size_t i = 0; i <= SCRIPTS_GONE; i++) {
		struct scripts_word word = { .place = (uint16_t)i };
		uint64_t value;

		memcpy(&value, image + i * 8, sizeof(value));
		word.value = (uint32_t)value;
		if (value - SCRIPTS_BASE < SCRIPTS_WORDS * 8) {
			word.tag = SCRIPTS_POINTER;
			word.value = (uint32_t)(value - SCRIPTS_BASE);
		}
		if (value)
			fwrite(&word, sizeof(word), 1, file);
		word.tag = SCRIPTS_HIGH;
		word.value = (uint32_t)(value >> 32);
		if (word.value)
			fwrite(&word, sizeof(word), 1, file);
	}
	seeds_finish(file);
	memset(image, 0, sizeof(image));
}

static void write_lua(void)
{
	const struct lua_layout *row = &lua_rows[0];

	put(STATE, row->object_type, (uint64_t)row->state_type, 1);
	put(STATE, row->state_frame, at(FRAME), 8);
	put(STATE, row->state_stack, at(MORE), 8);
	put(STATE, row->state_stack_end, at(MORE + 0x800), 8);
	put(FRAME, row->frame_function, at(MORE), 8);
	put(FRAME, row->frame_status, (uint64_t)row->status_fresh, 2);
	put(MORE, 0, at(CODE), 8);
	put(MORE, row->value_type, (uint64_t)row->type_closure, 1);
	put(CODE, row->closure_code, at(BODY), 8);
	put(BODY, row->object_type, (uint64_t)row->code_type, 1);
	put(BODY, row->code_count, 8, 4);
	put(BODY, row->code_ops, at(MORE + 0x900), 8);
	put(BODY, row->code_source, at(TEXT), 8);
	put(TEXT, row->object_type, (uint64_t)row->text_short, 1);
	put(TEXT, row->text_short_length, 6, 1);
	memcpy(image + TEXT + row->text, "@a.lua", 6);
	put_register(0, 2, at(STATE));
	put_register(0, 0, at(FRAME));
	put_register(0, 1, at(MORE + 0x908));
	finish(SCRIPTS_LUA);
}

static void write_php(void)
{
	const struct php_layout *row = &php_rows[0];

	put(FRAME, row->frame_function, at(CODE), 8);
	put(FRAME, row->frame_op, at(MORE), 8);
	put(FRAME, row->frame_info, (uint64_t)row->info_top, 4);
	put(CODE, row->function_type, (uint64_t)row->type_user, 1);
	put(CODE, row->function_name, at(TEXT), 8);
	put(CODE, row->function_file, at(TEXT), 8);
	put(CODE, row->function_ops, at(MORE), 8);
	put(CODE, row->function_op_count, 4, 4);
	put(CODE, row->function_line, 3, 4);
	put(CODE, row->function_line_end, 9, 4);
	put(TEXT, row->text_length, 5, 8);
	memcpy(image + TEXT + row->text, "a.php", 5);
	put_register(0, 0, at(FRAME));
	put_register(0, 1, at(MORE));
	finish(SCRIPTS_PHP);
}

static void write_ruby(void)
{
	const struct ruby_layout *row = &ruby_rows[0];

	put(STATE, row->context_stack, at(FRAME), 8);
	put(STATE, row->context_stack_words, 256, 8);
	put(STATE, row->context_frame, at(FRAME), 8);
	put(FRAME, row->frame_code, at(CODE), 8);
	put(FRAME, row->frame_ep, at(MORE + 64), 8);
	put(MORE + 64, row->flags, (uint64_t)row->flag_finish, 8);
	put(CODE, 0, (uint64_t)row->code_type, 8);
	put(CODE, row->code_body, at(BODY), 8);
	put(BODY, row->body_words, 8, 4);
	put(BODY, row->body_start, at(MORE + 0x100), 8);
	put(BODY, row->body_label, at(TEXT), 8);
	put(BODY, row->body_path, at(TEXT), 8);
	put(BODY, row->body_line, 21, 8);
	put(TEXT, 0, (uint64_t)row->type_text | 4ull << row->text_inside_shift, 8);
	memcpy(image + TEXT + row->text_inside, "a.rb", 4);
	put_register(0, 0, at(STATE));
	put_register(0, 2, at(MORE + 0x108));
	put_register(0, 1, at(FRAME));
	finish(SCRIPTS_RUBY);
}

/* A sub, called by the program. */
static void write_perl(void)
{
	const struct perl_layout *row = &perl_rows[0];
	enum { GLOB = MORE, GLOB_BODY = MORE + 0x100, STASH = MORE + 0x200, KEY = TEXT + 0x100 };

	put(STATE, row->state_runops, SCRIPTS_EVALUATION, 8);
	put(STATE, row->state_stack, at(FRAME), 8);
	put(STATE, row->state_cop, at(MORE + 0x800), 8);
	put(STATE, row->state_main_file, at(TEXT), 8);
	put(FRAME, row->stack_contexts, at(FRAME + 0x100), 8);
	put(FRAME, row->stack_type, (uint64_t)row->stack_type_main, 4);
	put(FRAME + 0x100, row->context_type, (uint64_t)row->type_sub, 1);
	put(FRAME + 0x100, row->context_return, 1, 8);
	put(FRAME + 0x100, row->context_outer, UINT32_MAX, 4);
	put(FRAME + 0x100, row->context_code, at(CODE), 8);
	put(CODE, row->value_body, at(BODY), 8);
	put(CODE, row->value_flags, (uint64_t)row->value_code, 4);
	put(BODY, row->code_depth, 1, 4);
	put(BODY, row->code_start, at(MORE + 0x800), 8);
	put(BODY, row->code_root, at(MORE + 0x900), 8);
	put(BODY, row->code_name, at(GLOB), 8);
	put(BODY, row->code_file, at(TEXT), 8);
	put(GLOB, row->value_body, at(GLOB_BODY), 8);
	put(GLOB_BODY, row->glob_name, at(KEY), 8);
	put(GLOB_BODY, row->glob_stash, at(STASH), 8);
	put(STASH, row->value_body, at(STASH + 0x40), 8);
	put(STASH, row->value_flags, (uint64_t)row->hash_flag, 4);
	put(STASH + 0x40, row->hash_name, at(KEY), 8);
	put(KEY, row->key_length, 4, 4);
	memcpy(image + KEY + row->key_text, "main", 4);
	memcpy(image + TEXT, "a.pl", 5);
	put(MORE + 0x800, row->op_type, (uint64_t)row->op_type_line, 2);
	put(MORE + 0x800, row->line_number, 7, 4);
	put(MORE + 0x800, row->line_file, at(TEXT), 8);
	put_register(0, 0, at(STATE));
	put_register(0, SCRIPTS_REGISTERS - 1, 16);
	finish(SCRIPTS_PERL);
}

void seeds_scripts(void)
{
	write_lua();
	write_php();
	write_ruby();
	write_perl();
}
