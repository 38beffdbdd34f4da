/* SPDX-License-Identifier: MIT
 *
 * linux_version.h - compares versions of the kernel. Async-signal-safe.
 */
#ifndef DWELL_BASE_LINUX_VERSION_H
#define DWELL_BASE_LINUX_VERSION_H

#include "base/decimal.h"

/* Returns whether a release, as uname(2) has it, is that version or a later one. */
static inline bool linux_is_at_least(const char *release, uint64_t major, uint64_t minor)
{
	uint64_t its_major, its_minor;
	const char *at;

	return decimal_prefix(release, 9999, &its_major, &at) && *at == '.' &&
	       decimal_prefix(at + 1, 9999, &its_minor, &at) &&
	       (its_major > major || (its_major == major && its_minor >= minor));
}

#endif
