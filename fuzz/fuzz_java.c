/* SPDX-License-Identifier: MIT
 *
 * fuzz_java.c - a virtual machine of Java with foreign bytes in its memory: steps between frames,
 * their methods and names.
 */
#include "../tests/unit/interpreter/made_hotspot.h"
#include "fuzz.h"
#include "interpreter/scripts.h"

enum { STEPS = 8 };

static struct hotspot vm, nameless;
static struct scripts scripts;
static struct scripts_writer writer;
static uint64_t pcs[SCRIPT_DEPTH];
static size_t touched;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc, (void)argv;
	fuzz_need(!scripts_init(&scripts), "there is no memory");
	made_layout(&vm);
	nameless = vm;
	/* Without names, functions are not written to a recording. */
	nameless.at[HOTSPOT_CLASS_NAME] = nameless.at[HOTSPOT_BLOB_NAME] = PAGES * PEEK_PAGE;
	return 0;
}

/* Reads the methods of a frame, and the name of the first thing that looks like a method. */
static void read_frame(const struct registers *registers, uintptr_t note)
{
	const struct interpreter_found found = { .kind = &interpreter_java, .vm = &nameless };
	const struct interpreter_found named = { .kind = &interpreter_java, .vm = &vm };
	static struct script_facts facts;
	struct script_walk walk = { .found = &found,
				    .scripts = &scripts,
				    .writer = &writer,
				    .peek = { .source = &source },
				    .pc = registers->value[ARCH_FRAME_PC],
				    .sp = registers->value[ARCH_FRAME_SP],
				    .note = note,
				    .registers = registers,
				    .pcs = pcs };

	if (walk.pc == hotspot_word(&walk.peek, vm.at[HOTSPOT_CALL_STUB_RETURN]))
		return;
	if (hotspot_frames(&walk) && walk.count > SCRIPT_DEPTH)
		abort();
	if (interpreter_java.describe(&walk.peek, &named, note & ~(uintptr_t)HOTSPOT_NOTES, &facts))
		touched += strlen(facts.name) + strlen(facts.file);
}

/* The input: the page that is gone, or more than there are; the registers, as offsets in the
 * memory; and bytes of the memory that differ, each with its offset. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct registers registers = { .known = REGISTERS_ALL, .exact = true };
	struct peek peek = { .source = &source };
	struct hotspot_steps steps = { .vm = &vm, .peek = &peek };
	const size_t head = 1 + 2 * (size_t)ARCH_FRAME_REGISTERS;

	if (size < head)
		return 0;
	made_hotspot();
	made_thread();
	if (bytes[0] < PAGES)
		is_gone[bytes[0]] = true;
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers.value[i] = BASE + (bytes[1 + 2 * i] | (uintptr_t)bytes[2 + 2 * i] << 8);
	for (size_t at = head; at + 3 <= size; at += 3)
		((uint8_t *)memory)[(bytes[at] | (size_t)bytes[at + 1] << 8) % sizeof(memory)] =
			bytes[at + 2];
	for (int i = 0; i < STEPS; i++) {
		struct registers frame = registers;
		uintptr_t note, sp = registers.value[ARCH_FRAME_SP];
		int err = hotspot_step(&steps, &registers, &note);

		read_frame(&frame, note);
		if (err < 0)
			break;
		if (registers.value[ARCH_FRAME_SP] < sp)
			abort();
	}
	return 0;
}
