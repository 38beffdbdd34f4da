/* SPDX-License-Identifier: MIT
 *
 * pairs.h - KEY=VALUE,KEY=VALUE with %XX for special characters in values, as OpenTelemetry's
 * environment variables contain them.
 */
#ifndef DWELL_BASE_PAIRS_H
#define DWELL_BASE_PAIRS_H

struct pair {
	char *key, *value; /* in the text that is parsed */
};

/* Takes the next pair off a text, which is changed; starts with a copy of the whole. Returns 1, 0
 * at the end, or -EINVAL: without '=', with a '%' that means nothing, or %00. The key is then set.
 */
int pairs_next(char **text, struct pair *pair);

#endif
