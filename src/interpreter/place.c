/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <string.h>

#define WORD ((uintptr_t)sizeof(uintptr_t))

/* Places in a frame. The uppermost words are its return address and registers of the caller, which
 * may have a pointer to the caller's object. */
#define SAVED_WORDS 8
#define PLACES      128

uintptr_t place_learn(const struct place_stack *stack, struct script_walk *walk)
{
	bool fits[PLACES], more = walk->found->kind->begin(walk);
	int frames = 0;

	memset(fits, true, sizeof(fits));
	for (int i = 0; i < stack->depth; i++) {
		if (!place_evaluates(stack, i, walk->found))
			continue;
		if (!more || walk->anchor)
			return 0;
		for (uintptr_t place = 0; place < PLACES; place++)
			fits[place] = fits[place] &&
				      place_holds(stack, i, walk, (place + SAVED_WORDS) * WORD);
		more = walk->found->kind->next(walk);
		frames++;
	}
	for (uintptr_t place = 0; place < PLACES && frames && !more; place++)
		if (fits[place])
			return (place + SAVED_WORDS) * WORD;
	return 0;
}
