/* SPDX-License-Identifier: MIT
 *
 * profile_ends.h - finds the code at which stacks are incomplete, such as code without call frame
 * information.
 */
#ifndef DWELL_MODEL_PROFILE_PROFILE_ENDS_H
#define DWELL_MODEL_PROFILE_PROFILE_ENDS_H

#include "profile.h"

struct profile_end {
	const char *object; /* for display, or the name of the mapping; owned by the profile */
	uint64_t ns;
};

/* Lists the objects of the last frames of broken stacks, the one with the most time first. Returns
 * 0 or -ENOMEM. Free the list with free(). */
int profile_ends(const struct profile *profile, struct profile_end **list, size_t *count,
		 struct err *err);

#endif
