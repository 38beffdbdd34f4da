/* SPDX-License-Identifier: MIT
 *
 * groups.h - the processes of a recording by the value of a label, such as ranks or hosts, or by
 * their program.
 */
#ifndef DWELL_MODEL_GROUPS_H
#define DWELL_MODEL_GROUPS_H

#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"
#include "recording/read/reader.h"

/* The group of a process without the label. */
#define GROUPS_NONE UINT32_MAX

/* Texts belong to the reader, and the key to the caller. */
struct groups {
	const char *key;
	const char **values; /* each once: numbers by their size, then texts from a to z */
	uint32_t *sizes;     /* the number of processes of each value */
	size_t count;
	struct hash by_process; /* offset of its segment -> index of its value */
};

/* Finds the groups. A run without processes has one as well: the label exists. Fails with -ENOMSG
 * if no run has the label. On success, free with groups_free(). */
int groups_read(struct groups *groups, const struct reader *reader, const char *key,
		struct err *err);

/* Finds the programs: the last part of each process's first argument. The key is "program". */
int groups_read_programs(struct groups *groups, const struct reader *reader, struct err *err);
void groups_free(struct groups *groups);

/* Returns the group of the process whose segment is at an offset. */
uint32_t groups_of(const struct groups *groups, uint64_t process);

/* Returns the value of a group; NULL for GROUPS_NONE. groups may be NULL then. */
static inline const char *groups_value(const struct groups *groups, uint32_t group)
{
	return groups && group < groups->count ? groups->values[group] : NULL;
}

#endif
