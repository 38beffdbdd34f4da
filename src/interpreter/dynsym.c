/* SPDX-License-Identifier: MIT */
#include "dynsym.h"

#include <string.h>

#define ENTRIES     16   /* of the dynamic section, read at once */
#define ENTRIES_MAX 256  /* of all of it */
#define CHAIN_MAX   4096 /* symbols of a bucket: more is damage */
#define NAME_BYTES  64

#define WORD_BITS (8 * sizeof(ElfW(Addr)))

/* Takes an address of the dynamic section. The linker has added the bias to it, or has not. */
static void take(struct dynsym *dynsym, const ElfW(Dyn) * entry)
{
	uintptr_t address = entry->d_un.d_ptr;

	if (address < dynsym->bias)
		address += dynsym->bias;
	if (entry->d_tag == DT_SYMTAB)
		dynsym->symbols = address;
	else if (entry->d_tag == DT_STRTAB)
		dynsym->names = address;
	else if (entry->d_tag == DT_GNU_HASH)
		dynsym->hash = address;
}

static void read_entries(struct dynsym *dynsym, uintptr_t address)
{
	ElfW(Dyn) entries[ENTRIES];

	for (size_t read = 0; read < ENTRIES_MAX; read += ENTRIES) {
		if (!peek_bytes(dynsym->peek, address + read * sizeof(entries[0]), entries,
				sizeof(entries)))
			return;
		for (size_t i = 0; i < ENTRIES; i++) {
			if (entries[i].d_tag == DT_NULL)
				return;
			take(dynsym, &entries[i]);
		}
	}
}

bool dynsym_open(struct dynsym *dynsym, struct peek *peek, const struct object *object)
{
	*dynsym = (struct dynsym){ .peek = peek, .bias = object->bias };
	for (size_t i = 0; i < object->header_count; i++) {
		uintptr_t address = object->bias + object->headers[i].p_vaddr;

		if (object->headers[i].p_type == PT_DYNAMIC)
			read_entries(dynsym, address);
		else if (object->headers[i].p_type == PT_GNU_EH_FRAME)
			dynsym->frames = address;
	}
	return dynsym->symbols && dynsym->names && dynsym->hash;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* Returns true if a name ends where it should, and is the one wanted. */
static bool is_named(const struct dynsym *dynsym, const ElfW(Sym) * symbol, const char *name)
{
	size_t size = strlen(name) + 1;
	char found[NAME_BYTES];

	return size <= sizeof(found) && symbol->st_shndx != SHN_UNDEF &&
	       peek_bytes(dynsym->peek, dynsym->names + symbol->st_name, found, size) &&
	       memcmp(found, name, size) == 0;
}

/* Follows the symbols of a bucket: a word each, of its hash, whose lowest bit ends the bucket. */
static bool search(const struct dynsym *dynsym, uintptr_t chain, uint32_t number, const char *name,
		   ElfW(Sym) * symbol)
{
	uint32_t hash = hash_of(name), word = 0;

	for (uint32_t i = 0; i < CHAIN_MAX && !(word & 1); i++, number++) {
		if (!peek_bytes(dynsym->peek, chain + number * sizeof(word), &word, sizeof(word)))
			return false;
		if ((word | 1) == (hash | 1) &&
		    peek_bytes(dynsym->peek, dynsym->symbols + number * sizeof(*symbol), symbol,
			       sizeof(*symbol)) &&
		    is_named(dynsym, symbol, name))
			return true;
	}
	return false;
}

/* The table: the number of buckets, its first symbol, the number of words of a Bloom filter and its
 * shift; the filter, the buckets and the chains. */
uintptr_t dynsym_range(const struct dynsym *dynsym, const char *name, uintptr_t *end)
{
	uint32_t head[4], hash = hash_of(name), number;
	uintptr_t filter = dynsym->hash + sizeof(head), buckets;
	ElfW(Addr) word;
	ElfW(Sym) symbol;

	if (!peek_bytes(dynsym->peek, dynsym->hash, head, sizeof(head)) || !head[0] || !head[2] ||
	    head[3] >= 32)
		return 0;
	if (!peek_bytes(dynsym->peek, filter + hash / WORD_BITS % head[2] * sizeof(word), &word,
			sizeof(word)) ||
	    !(word >> hash % WORD_BITS & 1) || !(word >> (hash >> head[3]) % WORD_BITS & 1))
		return 0;
	buckets = filter + (uintptr_t)head[2] * sizeof(word);
	if (!peek_bytes(dynsym->peek, buckets + hash % head[0] * sizeof(number), &number,
			sizeof(number)) ||
	    number < head[1])
		return 0;
	if (!search(dynsym, buckets + ((uintptr_t)head[0] - head[1]) * sizeof(number), number, name,
		    &symbol))
		return 0;
	if (end)
		*end = dynsym->bias + symbol.st_value + symbol.st_size;
	return dynsym->bias + symbol.st_value;
}
