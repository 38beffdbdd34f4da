/* SPDX-License-Identifier: MIT */
#include "calls_tree_table.h"

#include <stddef.h>

#include "output/table/columns.h"
#include "tree_table.h"

/* The contents of a cell, and its type in a node. */
enum what {
	NAME,
	INDENTED,
	SYMBOL,
	VERSION,
	OBJECT,
	DEPTH,
	COUNT,   /* uint64_t */
	TIME,    /* uint64_t; no value if no call returned */
	SUBTREE, /* uint64_t, a time that is always known */
	SHARE,
	BAR
};

#define MEMBER(member) offsetof(struct calls_tree_node, member)

static const struct column for_people[] = {
	{ "calls", COUNT, 0, COLUMN_NUMBER, MEMBER(calls) },
	{ "total", TIME, 0, COLUMN_NUMBER, MEMBER(total_ns) },
	{ "share", SHARE, 0, COLUMN_NUMBER | COLUMN_STYLED | COLUMN_DROPS_3RD, 0 },
	{ "", BAR, 0, COLUMN_BAR, 0 },
	{ "self", TIME, 0, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(self_ns) },
	{ "function", INDENTED, 0, COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_TREE | COLUMN_STYLED,
	  0 },
	{ "library", OBJECT, 0, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_1ST, 0 },
};

static const struct column for_programs[] = {
	{ "depth", DEPTH, 0, COLUMN_NUMBER, 0 },
	{ "name", NAME, 0, 0, 0 },
	{ "symbol", SYMBOL, 0, 0, 0 },
	{ "version", VERSION, 0, 0, 0 },
	{ "object", OBJECT, 0, 0, 0 },
	{ "calls", COUNT, 0, COLUMN_NUMBER, MEMBER(calls) },
	{ "returned", COUNT, 0, COLUMN_NUMBER, MEMBER(returned) },
	{ "escaped", COUNT, 0, COLUMN_NUMBER, MEMBER(escaped) },
	{ "abandoned", COUNT, 0, COLUMN_NUMBER, MEMBER(abandoned) },
	{ "untimed", COUNT, 0, COLUMN_NUMBER, MEMBER(untimed) },
	{ "running", COUNT, 0, COLUMN_NUMBER, MEMBER(running) },
	{ "total_ns", TIME, 0, COLUMN_NUMBER, MEMBER(total_ns) },
	{ "self_ns", TIME, 0, COLUMN_NUMBER, MEMBER(self_ns) },
	{ "subtree_ns", SUBTREE, 0, COLUMN_NUMBER, MEMBER(subtree_ns) },
};

static uint64_t number_of(const struct calls_tree_node *node, const struct column *column)
{
	return *(const uint64_t *)((const char *)node + column->detail);
}

static const char *print(const struct filling *filling, const void *row,
			 const struct column *column, struct cell *cell)
{
	const struct calls_tree *tree = filling->source;
	const struct calls_tree_node *node = row;
	const struct calls_tree_function *function = &tree->functions[node->function];

	switch ((enum what)column->what) {
	case NAME:
		return function->name;
	case INDENTED:
		return tree_table_indent(cell, node->depth, function->name, "");
	case SYMBOL:
		return function->symbol;
	case VERSION:
		return function->version;
	case OBJECT:
		return function->object;
	case DEPTH:
		return cell_number(cell, node->depth);
	case COUNT:
		return cell_count(cell, number_of(node, column));
	case TIME:
		return node->timed ? cell_time(cell, number_of(node, column)) : NULL;
	case SUBTREE:
		return cell_time(cell, number_of(node, column));
	case SHARE:
		return units_share(cell->room, (double)node->subtree_ns, (double)tree->all_ns);
	case BAR:
		break;
	}
	return NULL;
}

/* As in a tree of samples: self time says what is hot. */
static struct table_look look(const struct filling *filling, const void *row)
{
	double all = (double)((const struct calls_tree *)filling->source)->all_ns;
	const struct calls_tree_node *node = row;
	struct table_look shown = table_look_of((double)node->self_ns, all);

	shown.share = table_look_of((double)node->subtree_ns, all).share;
	return shown;
}

static const struct columns_report report = {
	.name = "calls_tree",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.print = print,
	.look = look,
};

int calls_tree_table_make(struct table *table, const struct calls_tree *tree, size_t limit,
			  bool human, struct err *err)
{
	struct filling filling = FILLING(tree, tree->nodes, tree->count, limit, human);

	return columns_fill(table, &report, &filling, err);
}
