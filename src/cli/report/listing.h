/* SPDX-License-Identifier: MIT
 *
 * listing.h - the contents of `dwell list` as a table.
 */
#ifndef DWELL_CLI_REPORT_LISTING_H
#define DWELL_CLI_REPORT_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/spec.h"
#include "output/table/table.h"
#include "symbol/elf_file.h"
#include "symbol/providers.h"

/* Functions that can be patched. Most shorter ones are single jumps. */
#define LISTING_LEAST 16

struct listing_share {
	size_t functions; /* of LISTING_LEAST bytes and more, without parts of others */
	size_t patchable;
};

struct listing_options {
	bool keep_mangled;
	struct spec_list chosen;    /* empty: all */
	struct spec_list excluded;  /* of the chosen ones */
	struct spec_list from;      /* objects whose imports are listed; empty: the file itself */
	struct listing_share share; /* set by listing_functions() */
};

/* Initialise and fill a table. On success, free it with table_fini(). Mark the specs that matched.
 */
int listing_imports(struct table *table, struct listing_options *options,
		    const struct providers *providers, struct err *err);
int listing_exports(struct table *table, struct listing_options *options,
		    const struct elf_file *file, struct err *err);
int listing_functions(struct table *table, struct listing_options *options,
		      const struct elf_file *file, struct err *err);

#endif
