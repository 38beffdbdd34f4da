/* SPDX-License-Identifier: MIT */
#include "scripts.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/process/instant.h"
#include "sys.h"

#define ENTRIES        ((size_t)1 << 16) /* address space only; unused pages cost nothing */
#define NAMELESS_BYTES 16 /* the first addresses: of functions that cannot be told apart */
#define PROBES         8  /* entries for a hash */
#define TABLE_BYTES    ((size_t)32 << 10) /* of lines; longer ones are cut */

/* Invariant: once both are nonzero, they belong together and never change. */
struct entry_of_script {
	_Atomic uint64_t hash, start;
};

static struct {
	struct entry_of_script *_Atomic entries; /* NULL: there is no interpreter */
	_Atomic uint64_t next;                   /* bytes of addresses given out */
} scripts = { .next = NAMELESS_BYTES };

int scripts_init(void)
{
	if (!atomic_load(&scripts.entries))
		atomic_store(&scripts.entries, sys_memory(ENTRIES * sizeof(*scripts.entries)));
	return atomic_load(&scripts.entries) ? 0 : -ENOMEM;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9fb21c651e98df25);
	return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct script_code *code)
{
	uint64_t hash = mix(code->address, code->name);

	hash = mix(mix(hash, code->file), code->table);
	hash = mix(mix(hash, code->line), code->bytes);
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

/* Takes space. Unmaps the segment that was full: all items in it are complete. */
static struct record_script *take(struct room *room, size_t size)
{
	char *start = room->start;
	size_t bytes = (size_t)(room->end - room->start);
	struct record_script *script = room_take(room, size);

	if (start && room->start != start)
		sys_munmap(start, bytes);
	return script;
}

/* Reserves addresses: one more than there are instructions, since a frame's is behind its own. */
static uint64_t reserve(size_t bytes)
{
	uint64_t room = (bytes + 2 + 15) / 16 * 16, used;

	used = atomic_fetch_add_explicit(&scripts.next, room, memory_order_relaxed);
	return used < RECORD_SCRIPTS_BYTES - room ? RECORD_SCRIPTS_START + used : 0;
}

static uint64_t write_script(struct scripts_writer *writer, const struct interpreter_found *found,
			     const struct script_code *code)
{
	struct record_script *script;
	struct script_facts facts;
	size_t name, file, table;
	uint64_t start;
	char *at;

	if (!found->kind->describe(found, code->address, &facts))
		return 0;
	name = strlen(facts.name) + 1;
	file = strlen(facts.file) + 1;
	table = facts.table_bytes < TABLE_BYTES ? facts.table_bytes : TABLE_BYTES;
	start = reserve(code->bytes);
	script = start ? take(&writer->room, sizeof(*script) + name + file + table) : NULL;
	if (!script)
		return 0;
	at = put(put(script->text, facts.name, name), facts.file, file);
	if (!memory_read_self(NULL, facts.table, at, table))
		table = 0;
	script->time = instant_now();
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

static void add(struct entry_of_script *entry, uint64_t hash, uint64_t start)
{
	uint64_t none = 0;

	if (atomic_compare_exchange_strong(&entry->hash, &none, hash))
		atomic_store_explicit(&entry->start, start, memory_order_release);
}

/* Returns its first address; 0: there is no space, or it cannot be read. */
static uint64_t find(struct scripts_writer *writer, const struct interpreter_found *found,
		     const struct script_code *code)
{
	struct entry_of_script *entries = atomic_load(&scripts.entries);
	uint64_t hash = hash_of(code), start;

	for (size_t i = 0; i < PROBES; i++) {
		struct entry_of_script *entry = &entries[(hash + i) % ENTRIES];
		uint64_t its = atomic_load_explicit(&entry->hash, memory_order_relaxed);

		if (!its) {
			start = write_script(writer, found, code);
			if (start)
				add(entry, hash, start);
			return start;
		}
		start = atomic_load_explicit(&entry->start, memory_order_acquire);
		if (its == hash && start)
			return start;
	}
	return 0;
}

uint64_t scripts_address(struct scripts_writer *writer, const struct interpreter_found *found,
			 const struct script_code *code, size_t offset)
{
	uint64_t start = find(writer, found, code);

	return start ? start + offset + 1 : RECORD_SCRIPTS_START + 1;
}
