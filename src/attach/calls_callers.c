/* SPDX-License-Identifier: MIT */
#include "attach/calls_callers.h"

static size_t bucket_of(uintptr_t place)
{
	return (place >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 54;
}

void calls_callers_note(struct calls_callers *callers, uintptr_t place, uintptr_t caller)
{
	size_t bucket = bucket_of(place), at = 0;

	while (at + 1 < CALLS_CALLERS_WAYS && !(callers->known[bucket][at].place == place &&
						callers->known[bucket][at].caller == caller))
		at++;
	for (; at > 0; at--)
		callers->known[bucket][at] = callers->known[bucket][at - 1];
	callers->known[bucket][0].place = place;
	callers->known[bucket][0].caller = caller;
}

size_t calls_callers_find(const struct calls_callers *callers, uintptr_t place,
			  uintptr_t found[CALLS_CALLERS_WAYS])
{
	size_t bucket = bucket_of(place), count = 0;

	for (size_t i = 0; i < CALLS_CALLERS_WAYS; i++)
		if (callers->known[bucket][i].place == place)
			found[count++] = callers->known[bucket][i].caller;
	return count;
}
