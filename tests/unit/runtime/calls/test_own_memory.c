/* SPDX-License-Identifier: MIT
 *
 * test_own_memory.c - blocks of libdwell-calls.so's own memory do not overlap, keep their contents,
 * and are reused.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define malloc  own_malloc
#define calloc  own_calloc
#define realloc own_realloc
#define free    own_free
#define strdup  own_strdup
#define strndup own_strndup
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *old, size_t size);
void free(void *block);
char *strdup(const char *text);
char *strndup(const char *text, size_t length);
#include "runtime/calls/own_memory.c"
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup
#undef strndup

uint32_t calls_alive[1024];
struct calls_state calls_state;

#define BLOCKS 500

static size_t size_of(int i)
{
	return (size_t)i * i * 3;
}

static bool is_filled(const unsigned char *block, size_t size, unsigned char with)
{
	for (size_t i = 0; i < size; i++)
		if (block[i] != with)
			return false;
	return true;
}

static void many(void)
{
	static unsigned char *blocks[BLOCKS];
	int wrong = 0;

	for (int i = 0; i < BLOCKS; i++) {
		blocks[i] = own_malloc(size_of(i));
		wrong += !blocks[i] || (uintptr_t)blocks[i] % 16 != 0;
		memset(blocks[i], i, size_of(i));
	}
	ok(wrong == 0, "blocks up to 750 kB are there, and aligned");
	for (int i = 0; i < BLOCKS; i++)
		wrong += !is_filled(blocks[i], size_of(i), (unsigned char)i);
	ok(wrong == 0, "none is in another one's place");
	for (int i = 0; i < BLOCKS; i++)
		own_free(blocks[i]);
}

static void again(void)
{
	void *block = own_malloc(100), *other;

	own_free(block);
	other = own_calloc(10, 10);
	ok(other == block, "freed memory is used again");
	memset(other, 1, 100);
	own_free(other);
	ok(is_filled(own_calloc(10, 10), 100, 0), "and cleared if that is asked for");
	own_free(NULL);
}

static void growth(void)
{
	unsigned char *block = NULL;
	bool keeps = true;

	for (size_t size = 1; size < 100000; size *= 2) {
		block = own_realloc(block, size);
		keeps = keeps && block && is_filled(block, size / 2, 7);
		memset(block, 7, size);
	}
	ok(keeps, "a block that grows keeps what is in it");
}

int main(void)
{
	many();
	again();
	growth();
	ok(!own_malloc(SIZE_MAX) && !own_malloc(SIZE_MAX / 2) && !own_calloc(SIZE_MAX / 2, 4),
	   "no block is as large as all memory");
	ok(strcmp(own_strdup("text"), "text") == 0 && strcmp(own_strndup("text", 2), "te") == 0 &&
		   strcmp(own_strndup("text", 9), "text") == 0,
	   "copies of strings, and of their beginnings");
	return tap_done();
}
