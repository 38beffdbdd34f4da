/* SPDX-License-Identifier: MIT */
#include "scripts.h"

#include <errno.h>
#include <string.h>

#include "base/atomic64.h"
#include "sys.h"

#define ENTRIES        ((size_t)1 << 16) /* address space only; unused pages cost nothing */
#define ADDRESSES      16                /* functions have a multiple of them */
#define NAMELESS_BYTES ADDRESSES /* the first ones: of functions that cannot be told apart */
#define PROBES         8 /* entries for a hash: the last ones that were seen, if there are more */
#define TABLE_BYTES    ((size_t)32 << 10) /* of lines; longer ones are cut */

/* A function may get the entry of another one at any time: the words of both are mixed for a while.
 * Invariant: check ^ start is the hash of a function if both words are its own, and of none
 * otherwise. */
struct script_entry {
	uint64_t check, start; /* atomic; both 0: free */
};

int scripts_init(struct scripts *scripts)
{
	if (!atomic_load(&scripts->entries))
		atomic_store(&scripts->entries, sys_memory(ENTRIES * sizeof(*scripts->entries)));
	return atomic_load(&scripts->entries) ? 0 : -ENOMEM;
}

void scripts_free(struct scripts *scripts)
{
	struct script_entry *entries = atomic_exchange(&scripts->entries, NULL);

	if (entries)
		sys_munmap(entries, ENTRIES * sizeof(*entries));
}

/* Returns a product, whose upper half depends on all bits, brought down to the lower one. The
 * products of a function's words do not wait for each other. */
static uint64_t mix(uint64_t word, uint64_t factor)
{
	uint64_t product = word * factor;

	return product ^ product >> 32;
}

static uint64_t hash_of(const struct script_code *code)
{
	uint64_t hash = mix(code->address, UINT64_C(0x9fb21c651e98df25)) +
			mix(code->name, UINT64_C(0xd6e8feb86659fd93)) +
			mix(code->file, UINT64_C(0xa0761d6478bd642f)) +
			mix(code->table, UINT64_C(0xe7037ed1a0b428db)) +
			mix((uint64_t)code->bytes << 32 | code->line, UINT64_C(0x8ebc6af09c88c6e3));

	hash = mix(hash, UINT64_C(0x589965cc75374cc3));
	return hash ? hash : 1;
}

/* ---- writing a function ---- */

/* Copies a text with its final 0. Returns the end. */
static char *put(char *at, const char *text, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*at++ = text[i];
	return at;
}

void *scripts_take(struct scripts_writer *writer, size_t size)
{
	struct room *room = &writer->room;
	char *start = room->start;
	size_t bytes = (size_t)(room->end - room->start);
	void *item = room_take(room, size);

	if (start && room->start != start)
		sys_munmap(start, bytes);
	return item;
}

/* Reserves addresses: one more than there are instructions, since a frame's is behind its own. */
static uint64_t reserve(struct scripts *scripts, size_t bytes)
{
	uint64_t room = ((uint64_t)bytes + 2 + ADDRESSES - 1) / ADDRESSES * ADDRESSES, used;

	used = NAMELESS_BYTES + atomic64_add(&scripts->next, room);
	return used < RECORD_SCRIPTS_BYTES - room ? RECORD_SCRIPTS_START + used : 0;
}

static uint64_t write_script(struct script_walk *walk, const struct script_code *code)
{
	const struct interpreter_found *found = walk->found;
	struct record_script *script;
	struct script_facts facts;
	size_t name, file, table;
	uint64_t start;
	char *at;

	facts.table = 0;
	facts.table_bytes = 0;
	if (!walk->writer || !found->kind->describe(&walk->peek, found, code->object, &facts))
		return 0;
	name = strlen(facts.name) + 1;
	file = strlen(facts.file) + 1;
	table = facts.table_bytes < TABLE_BYTES ? facts.table_bytes : TABLE_BYTES;
	start = reserve(walk->scripts, code->bytes);
	script = start ? scripts_take(walk->writer, sizeof(*script) + name + file + table) : NULL;
	if (!script)
		return 0;
	at = put(put(script->text, facts.name, name), facts.file, file);
	if (!peek_bytes(&walk->peek, facts.table, at, table))
		table = 0;
	script->time = walk->time;
	script->start = start;
	script->end = start + code->bytes + 2;
	script->language = found->kind->language;
	script->version = found->version;
	script->line = facts.line;
	script->table_bytes = (uint32_t)table;
	room_publish(&script->item, RECORD_SCRIPT);
	return start;
}

/* ---- known functions ---- */

/* Writes a function, and notes its first address in an entry, which may be another function's.
 * Returns the address; 0: there is no space, or the function cannot be read. */
static uint64_t add(struct script_walk *walk, const struct script_code *code, uint64_t hash,
		    struct script_entry *entry)
{
	uint64_t start = write_script(walk, code);

	if (!start)
		return 0;
	atomic64_set(&entry->check, hash ^ start);
	atomic64_set(&entry->start, start);
	return start;
}

/* Returns its first address, or 0 as add() does. */
static uint64_t find(struct script_walk *walk, const struct script_code *code)
{
	struct script_entry *entries = atomic_load(&walk->scripts->entries), *entry;
	uint64_t hash = hash_of(code), start, check, turn;

	for (size_t i = 0; i < PROBES; i++) {
		entry = &entries[(hash + i) % ENTRIES];
		start = atomic64_load(&entry->start);
		check = atomic64_load(&entry->check);
		if ((check ^ start) == hash)
			return start;
		if (!check)
			return add(walk, code, hash, entry);
	}
	/* All take turns, so that no two functions displace each other all the time. */
	turn = atomic64_load(&walk->scripts->next) / ADDRESSES;
	return add(walk, code, hash, &entries[(hash + turn % PROBES) % ENTRIES]);
}

uint64_t scripts_address(struct script_walk *walk, const struct script_code *code, size_t offset)
{
	uint64_t start = find(walk, code);

	return start ? start + (walk->is_whole ? 0 : offset) + 1 : SCRIPTS_NAMELESS;
}

void scripts_add(struct script_walk *walk, struct script_code *code, uint32_t last, uint32_t line)
{
	code->bytes = last < code->line ? 1 : (size_t)last - code->line + 1;
	walk->is_cut = walk->count == SCRIPT_DEPTH;
	if (!walk->is_cut)
		walk->pcs[walk->count++] = scripts_address(
			walk, code,
			line - code->line < code->bytes ? line - code->line : code->bytes);
}
