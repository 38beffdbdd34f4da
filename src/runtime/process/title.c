/* SPDX-License-Identifier: MIT */
#include "title.h"

static struct title_block block;

void title_init(const struct title_block *found)
{
	block = *found;
}

/*
 * Returns the end of the title. A title that does not end where the arguments did continues where
 * the environment was: the kernel reads it like that, too.
 */
static const char *title_end(void)
{
	const char *end = block.start;

	if (block.end[-1] == '\0')
		return block.end;
	while (end < block.environment_end && *end)
		end++;
	return end;
}

void title_read(char *title, size_t size)
{
	size_t length;

	if (!block.start)
		return;
	length = (size_t)(title_end() - block.start);
	for (size_t i = 0; i < size; i++)
		title[i] = i < length && i + 1 < size ? block.start[i] : '\0';
}
