/* SPDX-License-Identifier: MIT
 *
 * calls_tree_table.h - the tree of wrapped calls as a table: each function below its caller, and
 * further to the right.
 */
#ifndef DWELL_OUTPUT_REPORT_CALLS_TREE_TABLE_H
#define DWELL_OUTPUT_REPORT_CALLS_TREE_TABLE_H

#include "base/err.h"
#include "model/calls/calls_tree.h"
#include "output/table/table.h"

/* Makes the first nodes, for people or for programs. On success, free with table_fini(). */
int calls_tree_table_make(struct table *table, const struct calls_tree *tree, size_t limit,
			  bool human, struct err *err);

#endif
