/* SPDX-License-Identifier: MIT */
#include "entry/scratch.h"

#include <stdint.h>

#include "sys.h"

#define BLOCK_BYTES (256 << 10)

struct scratch_block {
	struct scratch_block *next;
	size_t size, used;
	uint64_t reserved; /* the rest is aligned to 16 bytes */
};

static struct scratch_block *add_block(struct scratch *scratch, size_t size)
{
	struct scratch_block *block;

	if (size > SIZE_MAX / 2)
		return NULL;
	size += sizeof(*block);
	size = size < BLOCK_BYTES ? BLOCK_BYTES : size;
	block = sys_memory(size);
	if (!block)
		return NULL;
	*block = (struct scratch_block){ .next = scratch->blocks,
					 .size = size,
					 .used = sizeof(*block) };
	scratch->blocks = block;
	return block;
}

void *scratch_take(struct scratch *scratch, size_t size)
{
	struct scratch_block *block = scratch->blocks;
	void *taken;

	if (!block || size > block->size - block->used)
		block = add_block(scratch, size);
	if (!block)
		return NULL;
	taken = (char *)block + block->used;
	size = (size + 15) & ~(size_t)15;
	block->used = size > block->size - block->used ? block->size : block->used + size;
	return taken;
}

void scratch_free(struct scratch *scratch)
{
	while (scratch->blocks) {
		struct scratch_block *block = scratch->blocks;

		scratch->blocks = block->next;
		sys_munmap(block, block->size);
	}
}
