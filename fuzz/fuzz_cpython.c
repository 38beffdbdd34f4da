/* SPDX-License-Identifier: MIT
 *
 * fuzz_cpython.c - the memory of CPython, any version, as made up by the input: its frames are
 * merged with a native stack, and their functions named. Walks end, and read nothing that is not
 * there.
 */
#include "cpython.h"
#include "fuzz.h"
#include "interpreter/cpython_frames.h"
#include "interpreter/interpreters.h"

static uint64_t memory[CPYTHON_WORDS];
static uint8_t choices;
static char copies[PEEK_PAGES][PEEK_PAGE];
static struct interpreters interpreters;
static struct interpreters_space space;

static bool read_memory(void *context, uintptr_t at, void *to, size_t size)
{
	uintptr_t start = at - CPYTHON_BASE;

	(void)context;
	if (at < CPYTHON_BASE || start > sizeof(memory) || size > sizeof(memory) - start ||
	    (choices & CPYTHON_CHOICE_GONE && start / PEEK_PAGE == 1))
		return false;
	memcpy(to, (const char *)memory + start, size);
	return true;
}

static bool ran(void *context, struct window part, uintptr_t start, uintptr_t end)
{
	(void)context, (void)part;
	return start <= end && !(choices & CPYTHON_CHOICE_OTHER);
}

/* There is no recording to write functions to: they are named, and count as unknown. */
static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t code,
		     struct script_facts *facts)
{
	if (cpython_describe(peek, found, code, facts) &&
	    (strnlen(facts->name, sizeof(facts->name)) == sizeof(facts->name) ||
	     strnlen(facts->file, sizeof(facts->file)) == sizeof(facts->file)))
		abort();
	return false;
}

static void merge(void)
{
	struct interpreters_elsewhere elsewhere = { .source = { read_memory, NULL, copies },
						    .ran = ran };
	uint64_t pcs[CPYTHON_FRAMES];
	struct stack stack = { .pcs = pcs, .depth = CPYTHON_FRAMES, .certain = CPYTHON_FRAMES };
	struct registers registers = { 0 };

	for (int i = 0; i < CPYTHON_FRAMES; i++) {
		pcs[i] = i % 2 ? CPYTHON_EVALUATION : 1;
		space.sps[i] =
			CPYTHON_BASE + 8 * (uintptr_t)(CPYTHON_STACK + i * CPYTHON_FRAME_WORDS);
	}
	/* The first words are those of registers as well. */
	for (int i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = (uintptr_t)memory[CPYTHON_STACK + i];
	interpreters_merge(&interpreters, &space, &stack, 1, &registers, &elsewhere);
	if (stack.depth < CPYTHON_FRAMES || stack.depth > SCRIPT_DEPTH ||
	    stack.certain > stack.depth)
		abort();
}

/* Looks for the innermost frame from any word on. */
static void find_innermost(void)
{
	uint64_t address;
	const struct peek_source source = { read_memory, NULL, copies };
	struct script_walk walk = { .found = &interpreters.found,
				    .scripts = &interpreters.scripts,
				    .peek = { .source = &source },
				    .at = (uintptr_t)memory[CPYTHON_STACK],
				    .pcs = &address };

	if (cpython_innermost(&walk) && (walk.count < 0 || walk.count > 1))
		abort();
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_need(scripts_init(&interpreters.scripts) == 0, "there is no memory");
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct interpreter kind = interpreter_cpython;
	uint16_t value;

	if (size < 2 || sizeof(uintptr_t) != 8)
		return 0;
	kind.describe = describe;
	interpreters.found = (struct interpreter_found){
		.kind = &kind,
		.state = CPYTHON_BASE,
		.code_type = CPYTHON_BASE + CPYTHON_TYPE * 8,
		.evaluation = CPYTHON_EVALUATION,
		.evaluation_end = CPYTHON_EVALUATION + 1,
		.layout = &layouts[bytes[0] % CPYTHON_ROWS],
	};
	interpreters.below = 0;
	choices = bytes[1];
	memset(memory, 0, sizeof(memory));
	for (size_t i = 2; i + sizeof(value) <= size && i / 2 - 1 < CPYTHON_WORDS; i += 2) {
		memcpy(&value, bytes + i, sizeof(value));
		memory[i / 2 - 1] = cpython_word(value);
	}
	/* The first stack may teach a place that the second one uses. */
	merge();
	merge();
	find_innermost();
	return 0;
}
