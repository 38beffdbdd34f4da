/* SPDX-License-Identifier: MIT */
#include "handler_stacks.h"

#include <errno.h>
#include <stdint.h>

#include "sys.h"

#define STACKS 32
#define WORD   64 /* bytes for the word at the upper end of each stack, for alignment */

/*
 * Read by handler.S. Each stack grows down from a word that is 1 while it is taken: that way a
 * handler touches one page of it. Handlers take the first that is free, so that the same few pages
 * stay in use, and in the caches.
 */
__attribute__((visibility("hidden"))) struct {
	char *first, *end; /* words; both NULL: there are none */
} handler_stacks;

int handler_stacks_init(void)
{
	char *memory;

	if (handler_stacks.first)
		return 0;
	memory = sys_memory((size_t)STACKS * HANDLER_STACK_BYTES);
	if (!memory)
		return -ENOMEM;
	handler_stacks.end = memory + (STACKS + 1) * HANDLER_STACK_BYTES - WORD;
	handler_stacks.first = memory + HANDLER_STACK_BYTES - WORD;
	return 0;
}

/* Clears all words without touching a page. */
void handler_stacks_forget(void)
{
	if (handler_stacks.first)
		sys_madvise(handler_stacks.first + WORD - HANDLER_STACK_BYTES,
			    (size_t)STACKS * HANDLER_STACK_BYTES, MADV_DONTNEED);
}

static uint32_t *last_word(void)
{
	return (uint32_t *)(handler_stacks.end - HANDLER_STACK_BYTES);
}

char *handler_stacks_borrow(size_t *size)
{
	uint32_t *word = last_word();

	if (__atomic_exchange_n(word, 1, __ATOMIC_ACQUIRE))
		return NULL;
	*size = HANDLER_STACK_BYTES - WORD;
	return (char *)word - *size;
}

void handler_stacks_return(void)
{
	__atomic_store_n(last_word(), 0, __ATOMIC_RELEASE);
}
