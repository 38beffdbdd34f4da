/* SPDX-License-Identifier: MIT */
#include "match.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

static bool is_version(const char *text, size_t size)
{
	size_t digits = strspn(text, "0123456789.");

	return digits >= size && *text >= '0' && *text <= '9';
}

/* Finds the ".so" that ends a title or precedes its version; NULL: none. */
static const char *find_so(const char *title)
{
	for (const char *at = title; (at = strstr(at, ".so")); at += 3)
		if (at != title && (!at[3] || at[3] == '.'))
			return at;
	return NULL;
}

char *match_title(const char *title)
{
	const char *so = find_so(title), *dash;
	size_t stem;
	char *result;

	if (!so)
		return strdup(title);
	stem = (size_t)(so - title);
	dash = memrchr(title, '-', stem);
	if (dash && dash != title && is_version(dash + 1, (size_t)(so - dash - 1)))
		stem = (size_t)(dash - title);
	result = malloc(stem + sizeof(".so"));
	if (result) {
		memcpy(result, title, stem);
		strcpy(result + stem, ".so");
	}
	return result;
}

/* Finds a compiler's suffix behind a dot, up to the next dot or the end; NULL: none. */
static const char *find_word(const char *name, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = name; (at = strstr(at, word)); at += length)
		if (at != name && (!at[length] || at[length] == '.'))
			return at;
	return NULL;
}

char *match_name(const char *name)
{
	static const char *const words[] = { ".cold", ".constprop", ".isra",      ".part",
					     ".llvm", ".lto_priv",  ".localalias" };
	/* The demanglers' form of the same. */
	const char *end = strstr(name, " [clone ."), *at;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if ((at = find_word(name, words[i])) && (!end || at < end))
			end = at;
	return end && end != name ? strndup(name, (size_t)(end - name)) : strdup(name);
}

/* Adds a copy of the key. */
static int add(struct match_table *table, const void *bytes, size_t size)
{
	struct match_key *more = vec_room(table->keys, table->count, sizeof(*more));
	void *copy = malloc(size + 1);

	if (more)
		table->keys = more;
	if (!more || !copy || table->count >= HASH_NONE) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, bytes, size);
	table->keys[table->count++] = (struct match_key){ .bytes = copy, .size = size };
	return 0;
}

int match_number(struct match_table *table, const void *bytes, size_t size, uint32_t *number)
{
	uint64_t hash = hash_bytes(0, bytes, size);

	/* Others with the same hash have the next ones. */
	for (;; hash++) {
		uint32_t *place = hash_place(&table->hash, hash);

		if (!place)
			return -ENOMEM;
		if (*place == HASH_NONE) {
			int status = add(table, bytes, size);

			if (!status)
				*number = *place = (uint32_t)table->count - 1;
			return status;
		}
		if (table->keys[*place].size == size &&
		    memcmp(table->keys[*place].bytes, bytes, size) == 0) {
			*number = *place;
			return 0;
		}
	}
}

void match_table_free(struct match_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		free(table->keys[i].bytes);
	free(table->keys);
	hash_free(&table->hash);
	*table = (struct match_table){ 0 };
}
