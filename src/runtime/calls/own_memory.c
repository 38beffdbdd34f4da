/* SPDX-License-Identifier: MIT
 *
 * own_memory.c - malloc() and its kin, hidden in libdwell-calls.so.
 *
 * The program's malloc() must not be called before its constructors have run, nor while the program
 * is inside it. The size of a block is a power of two, and freed blocks are kept for others of
 * their size: little of the memory allocated here is freed.
 */
#include <stdlib.h>
#include <string.h>

#include "state.h"

#define CHUNK_BYTES (64 << 10)
#define CLASSES     (8 * sizeof(size_t) - 1)

/* Precedes each block. */
struct head {
	union {
		struct head *next; /* of a free block */
		size_t class;
	};
} __attribute__((aligned(16)));

static struct {
	char *next, *end;
	struct head *free[CLASSES];
} memory;

static size_t class_of(size_t size)
{
	size_t class = 6;

	while (class < CLASSES && ((size_t)1 << class) - sizeof(struct head) < size)
		class ++;
	return class;
}

/*
 * Takes a block from the chunk, with the lock held. The rest of a chunk is lost when a new one is
 * made.
 */
static struct head *carve(size_t bytes)
{
	struct head *head;

	if ((size_t)(memory.end - memory.next) < bytes) {
		size_t chunk = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
		char *new = sys_memory(chunk);

		if (!new)
			return NULL;
		memory.next = new;
		memory.end = new + chunk;
	}
	head = (struct head *)memory.next;
	memory.next += bytes;
	return head;
}

/*
 * Allocates a block. Not malloc() itself: compilers know its meaning, and turn it into calls of
 * calloc().
 */
static void *take(size_t size)
{
	size_t class = class_of(size);
	struct head *head = NULL;
	sys_sigset mask;

	if (class == CLASSES)
		return NULL;
	mask = state_lock();
	head = memory.free[class];
	if (head)
		memory.free[class] = head->next;
	else
		head = carve((size_t)1 << class);
	state_unlock(mask);
	if (!head)
		return NULL;
	head->class = class;
	return head + 1;
}

static void give_back(void *block)
{
	struct head *head;
	size_t class;
	sys_sigset mask;

	if (!block)
		return;
	head = (struct head *)block - 1;
	class = head->class;
	mask = state_lock();
	head->next = memory.free[class];
	memory.free[class] = head;
	state_unlock(mask);
}

void *malloc(size_t size)
{
	return take(size);
}

void free(void *block)
{
	give_back(block);
}

void *calloc(size_t count, size_t size)
{
	size_t bytes;
	void *block = __builtin_mul_overflow(count, size, &bytes) ? NULL : take(bytes);

	return block ? memset(block, 0, bytes) : NULL;
}

void *realloc(void *old, size_t size)
{
	size_t room =
		old ? ((size_t)1 << ((struct head *)old - 1)->class) - sizeof(struct head) : 0;
	void *new = old &&size <= room ? old : take(size);

	if (new &&old &&new != old) {
		memcpy(new, old, room);
		give_back(old);
	}
	return new;
}

char *strndup(const char *text, size_t length)
{
	const char *end = memchr(text, 0, length);
	size_t size = end ? (size_t)(end - text) : length;
	char *copy = take(size + 1);

	if (!copy)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	return copy;
}

char *strdup(const char *text)
{
	return strndup(text, strlen(text));
}
