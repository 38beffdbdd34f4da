/* SPDX-License-Identifier: MIT
 *
 * java.c - Java, as HotSpot runs it: how it is found, and names of methods.
 */
#include "fields.h"
#include "hotspot_frames.h"
#include "java_code.h"

#define WORD        ((uintptr_t)8)
#define CLASS_BYTES 192 /* of a name, at most */

enum { HAS_LINES = 1 }; /* in the flags of a method */

/* ---- finding ---- */

static enum record_interpreter_state find(const struct dynsym *symbols,
					  struct interpreter_found *found)
{
	struct hotspot *vm = found->vm;

	if (!hotspot_find(vm, symbols))
		return RECORD_INTERPRETER_NONE;
	*found = (struct interpreter_found){ .kind = &interpreter_java, .vm = vm };
	return ARCH_MADE_CODE ? RECORD_INTERPRETER_WALKED : RECORD_INTERPRETER_UNKNOWN;
}

static enum record_interpreter_state ready(struct script_steps *steps)
{
	struct hotspot *vm = steps->found->vm;
	enum hotspot_state state = hotspot_read(vm, &steps->peek);

	if (state == HOTSPOT_UNKNOWN)
		return RECORD_INTERPRETER_UNKNOWN;
	if (state != HOTSPOT_READY)
		return RECORD_INTERPRETER_NONE;
	steps->made.start = hotspot_word(&steps->peek, vm->at[HOTSPOT_CODE_START]);
	steps->made.end = hotspot_word(&steps->peek, vm->at[HOTSPOT_CODE_END]);
	hotspot_trust(vm, &steps->peek);
	return RECORD_INTERPRETER_WALKED;
}

static int step(struct script_steps *steps, struct registers *registers, uintptr_t *note)
{
	struct hotspot_steps own = { .vm = steps->found->vm,
				     .peek = &steps->peek,
				     .stack_end = steps->stack_end,
				     .replaces = steps->mark };
	int err = hotspot_step(&own, registers, note);

	steps->mark = own.replaces;
	return err;
}

/* ---- names ---- */

/* Appends a text of the virtual machine, or its end. Returns the new end. */
static char *copy(struct peek *peek, const struct hotspot *vm, uintptr_t symbol, char *to,
		  const char *end)
{
	size_t room = (size_t)(end - to) - 1, length;
	uintptr_t at = symbol + vm->at[HOTSPOT_TEXT];

	*to = '\0';
	if (!symbol || symbol % WORD)
		return to;
	length = hotspot_half(peek, symbol + vm->at[HOTSPOT_TEXT_LENGTH]) & 0xffff;
	if (length > room) {
		at += length - room;
		length = room;
	}
	for (; length; length--)
		*to++ = (char)hotspot_byte(peek, at++);
	*to = '\0';
	return to;
}

/* Writes the class of a method as Java does. A class that is made at run time has a number behind
 * its name. */
static char *name_class(char *text, char *end)
{
	for (char *at = text; at < end; at++) {
		if (*at == '+') {
			*at = '\0';
			return at;
		}
		if (*at == '/')
			*at = '.';
	}
	return end;
}

/* Writes a file with its package: a class has the name of the file alone. One that is made at run
 * time has none. */
static void name_file(struct peek *peek, const struct hotspot *vm, uintptr_t class, uintptr_t file,
		      struct script_facts *facts)
{
	const char *end = facts->file + sizeof(facts->file);
	char *at = copy(peek, vm, class, facts->file, end);

	while (at > facts->file && at[-1] != '/')
		at--;
	if (copy(peek, vm, file, at, end) == at)
		text_put(facts->file, end, "[made]");
}

static bool describe_stub(struct peek *peek, const struct hotspot *vm, uintptr_t object,
			  struct script_facts *facts)
{
	uintptr_t name =
		hotspot_field(vm, peek, object & ~(uintptr_t)HOTSPOT_NOTES, HOTSPOT_BLOB_NAME);
	size_t length = 0;

	facts->line = 0;
	text_put(facts->file, facts->file + sizeof(facts->file), "[stub]");
	if ((object & HOTSPOT_NOTES) == HOTSPOT_NOTE_CALL) {
		text_put(facts->name, facts->name + sizeof(facts->name), "call_stub");
		return true;
	}
	while (length + 1 < sizeof(facts->name) && hotspot_byte(peek, name + length)) {
		facts->name[length] = (char)hotspot_byte(peek, name + length);
		length++;
	}
	facts->name[length] = '\0';
	return length > 0;
}

/* Returns the line of the first entry of a table, whose form script_lines.c explains. */
static uint32_t first_line(struct peek *peek, uintptr_t at)
{
	uint8_t byte = hotspot_byte(peek, at++);
	uint32_t line;

	if (byte != 255)
		return byte & 7;
	hotspot_number(peek, &at);
	line = hotspot_number(peek, &at);
	return line & 1 ? 0 : line >> 1;
}

static void describe_lines(struct peek *peek, const struct hotspot *vm, uintptr_t constant,
			   struct script_facts *facts)
{
	size_t bytes = hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_WORDS]) * WORD;
	size_t before = vm->at[HOTSPOT_CONST_BYTES] +
			(hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_CODE_BYTES]) & 0xffff);

	facts->line = 0;
	if (!(hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_FLAGS]) & HAS_LINES) ||
	    before >= bytes)
		return;
	facts->table = constant + before;
	facts->table_bytes = bytes - before;
	facts->line = first_line(peek, facts->table);
}

static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
		     struct script_facts *facts)
{
	const struct hotspot *vm = found->vm;
	const char *end = facts->name + sizeof(facts->name);
	uintptr_t constant, pool, class;
	char *at;

	if (object & HOTSPOT_NOTES)
		return describe_stub(peek, vm, object, facts);
	constant = hotspot_field(vm, peek, object, HOTSPOT_METHOD_CONST);
	pool = hotspot_field(vm, peek, constant, HOTSPOT_CONST_POOL);
	class = hotspot_field(vm, peek, hotspot_field(vm, peek, pool, HOTSPOT_POOL_HOLDER),
			      HOTSPOT_CLASS_NAME);
	at = copy(peek, vm, class, facts->name, facts->name + CLASS_BYTES);
	if (at == facts->name)
		return false;
	at = text_put(name_class(facts->name, at), end, ".");
	copy(peek, vm,
	     hotspot_symbol(vm, peek, pool,
			    hotspot_half(peek, constant + vm->at[HOTSPOT_CONST_NAME])),
	     at, end);
	name_file(peek, vm, class,
		  hotspot_symbol(vm, peek, pool,
				 hotspot_half(peek, pool + vm->at[HOTSPOT_POOL_FILE])),
		  facts);
	describe_lines(peek, vm, constant, facts);
	return *at != '\0';
}

const struct interpreter interpreter_java = {
	.language = RECORD_JAVA,
	.find = find,
	.ready = ready,
	.step = step,
	.compiled = hotspot_frames,
	.describe = describe,
};
