/* SPDX-License-Identifier: MIT
 *
 * tree_table.h - a call tree as a table: each function below who called it, or in a tree of callers
 * below what it called, and further to the right.
 */
#ifndef DWELL_OUTPUT_REPORT_TREE_TABLE_H
#define DWELL_OUTPUT_REPORT_TREE_TABLE_H

#include "base/err.h"
#include "model/profile/call_tree.h"
#include "output/table/table.h"

/* The first so many nodes, for people or for programs. On success, table_fini() is due. */
int tree_table_make(struct table *table, const struct profile *profile,
		    const struct call_tree *tree, size_t limit, bool human, struct err *err);

#endif
