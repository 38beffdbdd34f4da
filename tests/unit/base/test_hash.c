/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "../random64.h"
#include "base/hash.h"
#include "tap.h"

int main(void)
{
	enum { COUNT = 100000 };
	struct hash hash = { 0 };
	uint64_t state = 1;
	bool all = true;

	ok(!hash_find(&hash, 0), "an empty table has nothing");
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t *value = hash_place(&hash, random64(&state) << 12);

		if (!value)
			bail_out("no memory");
		all = all && *value == HASH_NONE;
		*value = i;
	}
	ok(all && hash.count == COUNT, "keys are new once");
	state = 1;
	for (uint32_t i = 0; i < COUNT; i++) {
		uint32_t *value = hash_find(&hash, random64(&state) << 12);

		all = all && value && *value == i;
	}
	ok(all, "and keep their numbers");
	ok(!hash_find(&hash, 1), "others are not there");
	hash_free(&hash);
	ok(hash_bytes(0, "ab", 2) != hash_bytes(0, "ba", 2) &&
		   hash_bytes(0, "ab", 2) == hash_bytes(0, "ab", 2),
	   "bytes have a key");
	return tap_done();
}
