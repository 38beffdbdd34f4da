/* SPDX-License-Identifier: MIT
 *
 * profile_ends.h - which code ends stacks that could not be followed further, as code does that was
 * made without call frame information.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_ENDS_H
#define DWELL_MODEL_PROFILE_PROFILE_ENDS_H

#include "profile.h"

struct profile_end {
	const char *
		object; /* as people call it, or what the mapping is called; owned by the profile */
	uint64_t ns;
};

/* Lists the objects of the last frames of broken stacks, those with the most time first: 0 or
 * -ENOMEM. Free the list with free(). */
int profile_ends(const struct profile *profile, struct profile_end **list, size_t *count,
		 struct err *err);

#endif
