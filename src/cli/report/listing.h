/* SPDX-License-Identifier: MIT
 *
 * listing.h - what `dwell list` shows, as a table.
 */
#ifndef DWELL_CLI_REPORT_LISTING_H
#define DWELL_CLI_REPORT_LISTING_H

#include <stdbool.h>

#include "base/err.h"
#include "base/spec.h"
#include "output/table/table.h"
#include "symbol/elf_file.h"
#include "symbol/providers.h"

struct listing_options {
	bool keep_mangled;
	struct spec_list chosen;   /* none: all */
	struct spec_list excluded; /* of the chosen */
	struct spec_list from;     /* objects whose imports are shown; none: the file's own */
};

/* Fill a table that is not initialised yet; on success, table_fini() is due. Mark the specs that
 * matched something. */
int listing_imports(struct table *table, struct listing_options *options,
		    const struct providers *providers, struct err *err);
int listing_exports(struct table *table, struct listing_options *options,
		    const struct elf_file *file, struct err *err);

#endif
