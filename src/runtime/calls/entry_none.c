/* SPDX-License-Identifier: MIT
 *
 * entry_none.c - entry_patch.h where entries cannot be patched: the object's functions are lost.
 */
#include "entry_patch.h"

#include "choice.h"

void entry_patch(struct entry_object *object, const struct entry_runtime *runtime)
{
	const struct spec_subject subject = { .soname = object->image->soname,
					      .path = object->path };

	object->island = (struct runtime_island){ 0 };
	if (choice_may_have(&subject))
		runtime->lose(1);
}

void entry_unmap(const struct runtime_island *island)
{
	(void)island;
}
