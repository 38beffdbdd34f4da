/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/bisect.h"
#include "tap.h"

static uint64_t number_at(const void *numbers, size_t i)
{
	return ((const uint64_t *)numbers)[i];
}

/* Returns how many of the first numbers are at most `key`, one by one. */
static size_t count_slowly(const uint64_t *numbers, size_t count, uint64_t key)
{
	size_t before = 0;

	while (before < count && numbers[before] <= key)
		before++;
	return before;
}

int main(void)
{
	static const uint64_t numbers[] = { 0, 3, 3, 3, 8, 9, UINT64_MAX };
	static const uint64_t keys[] = { 0, 1, 2, 3, 4, 7, 8, 9, 10, UINT64_MAX - 1, UINT64_MAX };
	size_t most = sizeof(numbers) / sizeof(numbers[0]);

	for (size_t count = 0; count <= most; count++)
		for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
			ok(bisect(number_at, numbers, count, keys[i]) ==
				   count_slowly(numbers, count, keys[i]),
			   "of %zu numbers, up to %" PRIu64, count, keys[i]);
	return tap_done();
}
