/* SPDX-License-Identifier: MIT
 *
 * tree_table.h - a call tree as a table: each function below its caller, or in a tree of callers
 * below its callee, and further to the right.
 */
#ifndef DWELL_OUTPUT_REPORT_TREE_TABLE_H
#define DWELL_OUTPUT_REPORT_TREE_TABLE_H

#include "base/err.h"
#include "model/profile/call_tree.h"
#include "output/table/columns.h"
#include "output/table/table.h"

/* Makes the first nodes, for people or for programs. On success, free with table_fini(). */
int tree_table_make(struct table *table, const struct profile *profile,
		    const struct call_tree *tree, size_t limit, bool human, struct err *err);

/* Prints a name with a suffix, as far to the right as its depth requires. */
const char *tree_table_indent(struct cell *cell, uint32_t depth, const char *name,
			      const char *suffix);

#endif
