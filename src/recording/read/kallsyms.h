/* SPDX-License-Identifier: MIT
 *
 * kallsyms.h - the functions of the kernel, as /proc/kallsyms lists them:
 *
 *	ffffffff81000000 T name
 *	ffffffffc0201000 t name	[module]
 *
 * They are valid until the machine is started again. Users who may not know them see 0 in place of
 * addresses.
 */
#ifndef DWELL_RECORDING_READ_KALLSYMS_H
#define DWELL_RECORDING_READ_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KALLSYMS_PATH "/proc/kallsyms"

struct kallsyms_function {
	uint64_t start;
	const char *name;
	const char *module; /* NULL: the kernel itself */
};

/* By their addresses. */
struct kallsyms {
	struct kallsyms_function *list;
	size_t count;
	char *text;
};

/* Reads a file. Returns 0 or -errno; -ENODATA: it has no addresses. Free with kallsyms_free(). */
int kallsyms_read(struct kallsyms *kallsyms, const char *path);
void kallsyms_free(struct kallsyms *kallsyms);

/* Returns whether the file has addresses. */
bool kallsyms_has_addresses(const char *path);

/* Returns the function of an address, and where it ends: at the next one. NULL: none. */
const struct kallsyms_function *kallsyms_find(const struct kallsyms *kallsyms, uint64_t address,
					      uint64_t *end);

#endif
