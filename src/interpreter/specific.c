/* SPDX-License-Identifier: MIT */
#include "specific.h"

#include <pthread.h>

#include "thread.h"

#define BITS 8

/* A field, as libthread_db has it. */
struct field {
	uint32_t bits, count, offset;
};

static bool read_field(const struct dynsym *symbols, const char *name, struct field *field)
{
	uintptr_t at = dynsym_find(symbols, name);

	return at && peek_bytes(symbols->peek, at, field, sizeof(*field));
}

/*
 * Reads how far below the thread pointer a thread's control block begins. Where libthread_db reads
 * the pointer from a register, its description has what to add to it, in the place of a count;
 * elsewhere nothing else is below the pointer.
 */
static bool read_below(const struct dynsym *symbols, uint32_t *bytes)
{
	uintptr_t at = dynsym_find(symbols, "_thread_db_sizeof_pthread");
	struct field pointer;

	*bytes = 0;
	if (ARCH_THREAD_IS_POINTER)
		return true;
	if (read_field(symbols, "_thread_db_register64", &pointer)) {
		*bytes = -pointer.count;
		return true;
	}
	return at && peek_bytes(symbols->peek, at, bytes, sizeof(*bytes));
}

/* A thread has an array of pointers to blocks, and a block an array of keys. */
void specific_read(struct specific *specific, const struct dynsym *symbols)
{
	struct field blocks, keys, value;
	uint32_t below;

	if (!read_field(symbols, "_thread_db_pthread_specific", &blocks) ||
	    !read_field(symbols, "_thread_db_pthread_key_data_level2_data", &keys) ||
	    !read_field(symbols, "_thread_db_pthread_key_data_data", &value) || !keys.count ||
	    !read_below(symbols, &below))
		return;
	*specific =
		(struct specific){ .blocks = (uintptr_t)blocks.offset - below,
				   .count = blocks.bits / BITS / sizeof(uintptr_t) * blocks.count,
				   .block_keys = keys.count,
				   .key_bytes = keys.bits / BITS,
				   .value = value.offset,
				   .below = below };
}

uintptr_t specific_self(const struct specific *specific)
{
	bool is_known = ARCH_THREAD_IS_POINTER || specific->below;

	return is_known ? arch_thread_pointer() - specific->below : 0;
}

/* Reads memory of the thread itself, which libc frees when the thread has ended. */
uintptr_t specific_value(const struct specific *specific, uint32_t key)
{
	const struct window all = { 0 };
	uint32_t number = specific->block_keys ? key / specific->block_keys : 0;
	uintptr_t block;

	if (!specific->block_keys)
		return (uintptr_t)pthread_getspecific((pthread_key_t)key);
	if (number >= specific->count)
		return 0;
	block = window_word(&all,
			    arch_thread_pointer() + specific->blocks + number * sizeof(uintptr_t));
	key %= specific->block_keys;
	return block ? window_word(&all, block + key * specific->key_bytes + specific->value) : 0;
}
