/* SPDX-License-Identifier: MIT
 *
 * fuzz_scripts.c - the memory of an interpreter of Lua, Perl, PHP or Ruby, as made up by the input:
 * the activations that its native frames hold are read, and their functions named. Walks end, and
 * read nothing that is not there.
 */
#include "fuzz.h"
#include "interpreter/scripts.h"
#include "scripts.h"

static uintptr_t memory[SCRIPTS_GONE + 1];
static char copies[PEEK_PAGES][PEEK_PAGE];
static struct unwind_kept natives;
static uint64_t native_pcs[2 * SCRIPTS_NATIVES + 1], pcs[SCRIPT_DEPTH];
static struct scripts scripts;
static struct scripts_writer writer;

static bool read_memory(void *context, uintptr_t at, void *to, size_t size)
{
	uintptr_t start = at - SCRIPTS_BASE;

	(void)context;
	if (at < SCRIPTS_BASE || start > SCRIPTS_WORDS * sizeof(memory[0]) ||
	    size > SCRIPTS_WORDS * sizeof(memory[0]) - start ||
	    memory[SCRIPTS_GONE] >> start / PEEK_PAGE & 1)
		return false;
	memcpy(to, (const char *)memory + start, size);
	return true;
}

static const struct peek_source source = { read_memory, NULL, copies };

/* There is no recording to write functions to: they are named, and count as unknown. */
static const struct interpreter *real;

static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
		     struct script_facts *facts)
{
	if (real->describe(peek, found, object, facts))
		fuzz_need(strlen(facts->name) < sizeof(facts->name) &&
				  strlen(facts->file) < sizeof(facts->file),
			  "a text has no end");
	return false;
}

static void read_input(const uint8_t *bytes, size_t size)
{
	struct scripts_word word;

	memset(memory, 0, sizeof(memory));
	for (; size >= sizeof(word); bytes += sizeof(word), size -= sizeof(word)) {
		uintptr_t *at;

		memcpy(&word, bytes, sizeof(word));
		at = &memory[word.place % (SCRIPTS_GONE + 1)];
		if (word.tag % 3 == SCRIPTS_HIGH)
			*at = (uint32_t)*at | (uintptr_t)word.value << 32;
		else
			*at = word.value + (word.tag % 3 == SCRIPTS_POINTER ? SCRIPTS_BASE : 0);
	}
}

/* Each native frame of the evaluation function has a caller; the last register says which. */
static void make_natives(void)
{
	natives.count = SCRIPTS_NATIVES;
	for (int i = 0; i < SCRIPTS_NATIVES; i++) {
		const uintptr_t *registers = &memory[SCRIPTS_WORDS + i * SCRIPTS_REGISTERS];

		natives.frames[i].frame = 2 * i;
		memcpy(natives.frames[i].value, registers, sizeof(natives.frames[i].value));
		native_pcs[2 * i] = SCRIPTS_EVALUATION;
		native_pcs[2 * i + 1] = SCRIPTS_CALLERS + registers[SCRIPTS_REGISTERS - 1];
	}
}

static void walk_all(const struct interpreter_found *found, bool is_complete)
{
	struct script_walk walk = { .found = found,
				    .scripts = &scripts,
				    .writer = &writer,
				    .peek = { .source = &source },
				    .is_complete = is_complete,
				    .native_pcs = native_pcs,
				    .natives = &natives,
				    .pcs = pcs };

	for (int i = 0; i < SCRIPTS_NATIVES; i++) {
		walk.native = i;
		walk.kept = natives.frames[i].value;
		walk.outer = i + 1 < SCRIPTS_NATIVES ? natives.frames[i + 1].value : NULL;
		walk.count = 0;
		walk.part_count = 0;
		walk.is_cut = false;
		found->kind->activation(&walk);
		fuzz_need(walk.count >= 0 && walk.count <= SCRIPT_DEPTH, "too many frames");
	}
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_need(scripts_init(&scripts) == 0, "there is no memory");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct interpreter *const kinds[] = { &interpreter_lua, &interpreter_perl,
							   &interpreter_php, &interpreter_ruby };
	static const void *const rows[] = { lua_rows, perl_rows, php_rows, ruby_rows };
	struct interpreter kind;
	struct interpreter_found found = { .kind = &kind,
					   .evaluation = SCRIPTS_EVALUATION,
					   .evaluation_end = SCRIPTS_EVALUATION + 1 };

	if (!size || sizeof(uintptr_t) != 8)
		return 0;
	real = kinds[bytes[0] % SCRIPTS_KINDS];
	kind = *real;
	kind.describe = describe;
	found.layout = rows[bytes[0] % SCRIPTS_KINDS];
	for (size_t i = 0; i < sizeof(found.places) / sizeof(found.places[0]); i++)
		found.places[i] = SCRIPTS_CALLERS + i / 2 * 16 + i % 2 * 8;
	read_input(bytes + 1, size - 1);
	make_natives();
	walk_all(&found, bytes[0] < 128);
	return 0;
}
