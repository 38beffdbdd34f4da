/* SPDX-License-Identifier: MIT */
#include "tree_table.h"

#include <stdio.h>

#include "event_columns.h"
#include "output/table/language.h"

/* Deeper nodes are not indented further: the line would have no room for names. */
#define DEEPEST_INDENT 40

/* The contents of a cell. */
enum what {
	NAME,
	INDENTED,
	SYMBOL,
	OBJECT,
	DEPTH,
	INLINED,
	SELF,
	TOTAL,
	SELF_NS,
	TOTAL_NS,
	SHARE,
	BAR
};

static const struct column for_people[] = {
	{ "total", TOTAL_NS, 0, COLUMN_NUMBER },
	{ "share", SHARE, 0, COLUMN_NUMBER | COLUMN_STYLED },
	{ "", BAR, 0, COLUMN_BAR },
	{ "self", SELF_NS, 0, COLUMN_NUMBER | COLUMN_DROPS_2ND },
	{ "function", INDENTED, 0,
	  COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_TREE | COLUMN_STYLED | COLUMN_TINTED },
	{ "object", OBJECT, 0, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_1ST },
};

static const struct column for_programs[] = {
	{ "depth", DEPTH, 0, COLUMN_NUMBER },
	{ "name", NAME, 0, 0 },
	{ "symbol", SYMBOL, 0, 0 },
	{ "object", OBJECT, 0, 0 },
	{ "inlined", INLINED, 0, COLUMN_NUMBER },
	{ "self", SELF, 0, COLUMN_NUMBER },
	{ "total", TOTAL, 0, COLUMN_NUMBER },
	{ "self_ns", SELF_NS, 0, COLUMN_NUMBER },
	{ "total_ns", TOTAL_NS, 0, COLUMN_NUMBER },
};

const char *tree_table_indent(struct cell *cell, uint32_t depth, const char *name,
			      const char *suffix)
{
	int indent = depth < DEEPEST_INDENT ? (int)depth : DEEPEST_INDENT;
	char *text;

	if (asprintf(&text, "%*s%s%s", 2 * indent, "", name, suffix) < 0)
		text = NULL;
	return cell_own(cell, text);
}

static const char *print(const struct filling *filling, const void *row,
			 const struct column *column, struct cell *cell)
{
	const struct profile *profile = filling->source;
	const struct call_node *node = row;
	const struct function *function = &profile->functions.list[node->function];
	bool is_event = profile->totals.event;

	switch ((enum what)column->what) {
	case NAME:
		return function->name;
	case INDENTED:
		return tree_table_indent(cell, node->depth, function->name,
					 node->is_inlined ? " (inlined)" : "");
	case SYMBOL:
		return function->symbol;
	case OBJECT:
		return function->object;
	case DEPTH:
		return cell_number(cell, node->depth);
	case INLINED:
		return node->is_inlined ? "1" : "0";
	case SELF:
		return cell_number(cell, node->self.samples);
	case TOTAL:
		return cell_number(cell, node->total.samples);
	case SELF_NS:
		return node->self.ns || !cell->human ? cell_amount(cell, node->self.ns, is_event)
						     : NULL;
	case TOTAL_NS:
		return cell_amount(cell, node->total.ns, is_event);
	case SHARE:
		return units_share(cell->room, (double)node->total.ns,
				   (double)profile->totals.kept.ns);
	case BAR:
		break;
	}
	return NULL;
}

/* Nearly all time is below the first branches, so self time says what is hot. */
static struct table_look look(const struct filling *filling, const void *row)
{
	const struct profile *profile = filling->source;
	double all = (double)profile->totals.kept.ns;
	const struct call_node *node = row;
	struct table_look shown = table_look_of((double)node->self.ns, all);
	const struct language *language = language_of(&profile->functions.list[node->function]);

	shown.tint = language ? language->tint : TINT_NONE;
	shown.share = table_look_of((double)node->total.ns, all).share;
	return shown;
}

static const struct columns_report report = {
	.name = "tree",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.print = print,
	.look = look,
};

int tree_table_make(struct table *table, const struct profile *profile,
		    const struct call_tree *tree, size_t limit, bool human, struct err *err)
{
	struct filling filling = FILLING(profile, tree->nodes, tree->count, limit, human);

	int status = columns_fill(table, &report, &filling, err);

	if (!status && profile->totals.event)
		event_columns_rename(table);
	return status;
}
