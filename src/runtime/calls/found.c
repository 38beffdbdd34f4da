/* SPDX-License-Identifier: MIT */
#include "found.h"

#include "choice.h"

/*
 * Returns whether a function that lies in no object was chosen as one of the resolver's. It may be
 * freed, and another one made in its place, without notice: it is not wrapped, or the calls of both
 * would count as those of the first.
 */
static bool is_lost(const struct found_list *list, const struct runtime_found *found)
{
	struct found_object resolver;

	if (!list->at(found->resolver, &resolver))
		return false;
	resolver.subject.symbol = found->name;
	return choice_has(&resolver.subject);
}

/*
 * The function's object is open, or it could not be called, so its image can be read. The object's
 * own addresses of its functions matter less here than for dlsym(): pointers of a resolver are
 * there to be called.
 */
void *found_wrap(const struct found_list *list, const struct runtime_found *found)
{
	uintptr_t target = (uintptr_t)found->target;
	struct found_object caller, definer;

	if (list->at(found->caller, &caller) && !caller.is_caller)
		return found->target;
	if (!list->at(target, &definer))
		return is_lost(list, found) ? NULL : found->target;
	if (definer.is_ours)
		return found->target;
	return list->replace(definer.object, found->target,
			     image_find(definer.image, found->name, target), found->name);
}
