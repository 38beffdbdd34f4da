/* SPDX-License-Identifier: MIT
 *
 * test_scripts.c - addresses of functions: more of them than there are entries, and entries that
 * are half written.
 */
#include "interpreter/scripts.h"

#include <stdio.h>
#include <string.h>

#include "tap.h"

enum { FUNCTIONS = 100000, ENTRY_WORDS = 2 << 16 };

/* Describes an object by its number. */
static bool describe(struct peek *peek, const struct interpreter_found *found, uintptr_t object,
		     struct script_facts *facts)
{
	(void)peek;
	(void)found;
	snprintf(facts->name, sizeof(facts->name), "f_%zu", (size_t)object);
	facts->file[0] = '\0';
	facts->line = 0;
	return true;
}

static const struct interpreter kind = { .language = RECORD_JAVA, .describe = describe };
static const struct interpreter_found found = { .kind = &kind };
static struct scripts scripts;
static uint64_t starts[FUNCTIONS];
static uint64_t memory[64];

/* Returns the address of a function. The item of one that is written stays in memory until the next
 * one. */
static uint64_t address_of(unsigned number)
{
	struct scripts_writer writer = { .room = { .next = (char *)memory,
						   .end = (char *)memory + sizeof(memory) } };
	struct script_walk walk = { .found = &found, .scripts = &scripts, .writer = &writer };
	struct script_code code = { .object = number, .address = number * 8, .bytes = 4 };

	memset(memory, 0, sizeof(memory));
	return scripts_address(&walk, &code, 0);
}

/* Returns true if the item that was written last is of this function. */
static bool is_written(unsigned number, uint64_t address)
{
	const struct record_script *script = (const struct record_script *)memory;
	char name[32];

	snprintf(name, sizeof(name), "f_%u", number);
	return script->item.size && script->start + 1 == address && !strcmp(script->text, name);
}

static void many_functions(void)
{
	unsigned nameless = 0, shared = 0, lost = 0, wrong = 0;

	for (unsigned i = 0; i < FUNCTIONS; i++) {
		starts[i] = address_of(i);
		nameless += starts[i] == SCRIPTS_NAMELESS || !is_written(i, starts[i]);
		shared += i && starts[i] <= starts[i - 1];
		lost += address_of(i) != starts[i];
	}
	ok(!nameless && !shared, "more functions than entries: each one has an address of its own");
	ok(!lost, "and keeps it while it is in use");
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uint64_t start = address_of(i);

		wrong += start != starts[i] && !is_written(i, start);
	}
	ok(!wrong, "one that was displaced is written again");
}

/* Returns a function that gets the entry of this one; 0: none does. */
static unsigned displacing(unsigned number)
{
	uint64_t start = address_of(number);

	for (unsigned i = FUNCTIONS; i < 20 * FUNCTIONS; i++) {
		address_of(i);
		if (address_of(number) != start)
			return i;
	}
	return 0;
}

static void in_turns(void)
{
	unsigned other = displacing(0), again = 0;
	uint64_t start = address_of(0);

	for (unsigned i = 0; i < 100; i++) {
		address_of(other);
		again += address_of(0) != start;
		start = address_of(0);
	}
	ok(other && again < 10, "two functions do not displace each other all the time: %u of 100",
	   again);
}

/* Puts another word into the only entry, as a thread does that is interrupted then. */
static bool tear(uint64_t *entries, unsigned word)
{
	for (size_t i = 0; i < ENTRY_WORDS; i += 2)
		if (entries[i]) {
			entries[i + word] ^= 0x1230;
			return true;
		}
	return false;
}

static void torn(void)
{
	for (unsigned word = 0; word < 2; word++) {
		uint64_t before, after;

		scripts_free(&scripts);
		if (scripts_init(&scripts))
			bail_out("there is no memory");
		before = address_of(7);
		ok(address_of(7) == before && tear((uint64_t *)atomic_load(&scripts.entries), word),
		   "a function is known");
		after = address_of(7);
		ok(after != before && is_written(7, after) && address_of(7) == after,
		   "if its entry is half another's, it is written again");
	}
}

int main(void)
{
	if (scripts_init(&scripts))
		bail_out("there is no memory");
	many_functions();
	in_turns();
	torn();
	scripts_free(&scripts);
	return tap_done();
}
