/* SPDX-License-Identifier: MIT */
#include "tree_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "output/table/units.h"

/* Deeper ones are no further to the right: there would be nothing left of the line. */
#define DEEPEST_INDENT 40

static const struct table_column for_people[] = {
	{ "total", COLUMN_NUMBER },
	{ "share", COLUMN_NUMBER | COLUMN_STYLED },
	{ "", COLUMN_BAR },
	{ "self", COLUMN_NUMBER },
	{ "function", COLUMN_GIVES | COLUMN_TREE | COLUMN_STYLED },
	{ "object", COLUMN_GIVES_TOO | COLUMN_DIM },
};

static const struct table_column for_programs[] = {
	{ "depth", COLUMN_NUMBER },
	{ "name", 0 },
	{ "symbol", 0 },
	{ "object", 0 },
	{ "inlined", COLUMN_NUMBER },
	{ "self", COLUMN_NUMBER },
	{ "total", COLUMN_NUMBER },
	{ "self_ns", COLUMN_NUMBER },
	{ "total_ns", COLUMN_NUMBER },
};

static int add_for_people(struct table *table, const struct profile *profile,
			  const struct call_node *node)
{
	const struct function *function = &profile->functions.list[node->function];
	char total[UNITS_BYTES], share[UNITS_BYTES], self[UNITS_BYTES], *name;
	struct table_look look =
		table_look_of((double)node->self.ns, (double)profile->totals.kept.ns);
	int indent = node->depth < DEEPEST_INDENT ? (int)node->depth : DEEPEST_INDENT;
	int status;

	/* Nearly all time is below the first branches, so these are not what is hot. */
	look.share = table_look_of((double)node->total.ns, (double)profile->totals.kept.ns).share;
	if (asprintf(&name, "%*s%s%s", 2 * indent, "", function->name,
		     node->is_inlined ? " (inlined)" : "") < 0)
		return -ENOMEM;
	status = table_add_looking(
		table,
		(const char *[]){
			units_time(total, (double)node->total.ns),
			units_share(share, (double)node->total.ns, (double)profile->totals.kept.ns),
			NULL,
			node->self.ns ? units_time(self, (double)node->self.ns) : NULL,
			name,
			function->object,
		},
		look);
	free(name);
	return status;
}

static int add_for_programs(struct table *table, const struct profile *profile,
			    const struct call_node *node)
{
	const struct function *function = &profile->functions.list[node->function];
	const uint64_t numbers[] = { node->depth, node->self.samples, node->total.samples,
				     node->self.ns, node->total.ns };
	char texts[sizeof(numbers) / sizeof(numbers[0])][UNITS_BYTES];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		snprintf(texts[i], sizeof(texts[i]), "%" PRIu64, numbers[i]);
	return table_add(table, (const char *[]){ texts[0], function->name, function->symbol,
						  function->object, node->is_inlined ? "1" : "0",
						  texts[1], texts[2], texts[3], texts[4] });
}

int tree_table_make(struct table *table, const struct profile *profile,
		    const struct call_tree *tree, size_t limit, bool human, struct err *err)
{
	int status = 0;

	if (human)
		table_init(table, "tree", for_people, sizeof(for_people) / sizeof(for_people[0]));
	else
		table_init(table, "tree", for_programs,
			   sizeof(for_programs) / sizeof(for_programs[0]));
	for (size_t i = 0; i < tree->count && i < limit && !status; i++)
		status = human ? add_for_people(table, profile, &tree->nodes[i])
			       : add_for_programs(table, profile, &tree->nodes[i]);
	if (!status)
		return 0;
	table_fini(table);
	return err_no_memory(err);
}
