/* SPDX-License-Identifier: MIT
 *
 * listing_no_functions.c - listing_functions() for CPUs whose functions cannot be patched.
 */
#include "listing.h"

int listing_functions(struct table *table, struct listing_options *options,
		      const struct elf_file *file, struct err *err)
{
	(void)table;
	(void)options;
	return err_set(err, ENOTSUP, "'%s': functions of this CPU cannot be patched", file->path);
}
