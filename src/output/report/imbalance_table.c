/* SPDX-License-Identifier: MIT */
#include "imbalance_table.h"

#include "event_columns.h"
#include "output/table/columns.h"
#include "output/table/printable.h"

/* Replaced by the key of the label, for people. */
#define LABEL_COLUMN "label"

/* The contents of a cell. */
enum what { TEXT, TIME, COUNT };

#define MEMBER(member) offsetof(struct imbalance_row, member)

static const struct column for_people[] = {
	{ "saved", TIME, 0, COLUMN_NUMBER | COLUMN_STYLED, MEMBER(saved_ns) },
	{ "min", TIME, 0, COLUMN_NUMBER | COLUMN_DROPS_2ND, MEMBER(min_ns) },
	{ "mean", TIME, 0, COLUMN_NUMBER | COLUMN_DROPS_3RD, MEMBER(mean_ns) },
	{ "max", TIME, 0, COLUMN_NUMBER | COLUMN_DROPS_4TH, MEMBER(max_ns) },
	{ LABEL_COLUMN, TEXT, 0, COLUMN_GIVES_TOO, MEMBER(most) },
	{ "function", TEXT, 0, COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_STYLED, MEMBER(name) },
	{ "object", TEXT, 0, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_1ST, MEMBER(object) },
};

static const struct column for_programs[] = {
	{ "name", TEXT, 0, 0, MEMBER(name) },
	{ "object", TEXT, 0, 0, MEMBER(object) },
	{ "min_ns", TIME, 0, COLUMN_NUMBER, MEMBER(min_ns) },
	{ "mean_ns", TIME, 0, COLUMN_NUMBER, MEMBER(mean_ns) },
	{ "max_ns", TIME, 0, COLUMN_NUMBER, MEMBER(max_ns) },
	{ "most", TEXT, 0, 0, MEMBER(most) },
	{ "present", COUNT, 0, COLUMN_NUMBER, MEMBER(present) },
	{ "saved_ns", TIME, 0, COLUMN_NUMBER, MEMBER(saved_ns) },
};

static const char *print(const struct filling *filling, const void *row,
			 const struct column *column, struct cell *cell)
{
	const struct imbalance_source *source = filling->source;
	const void *member = (const char *)row + column->detail;

	switch ((enum what)column->what) {
	case TEXT:
		return *(const char *const *)member;
	case TIME:
		return cell_amount(cell, *(const uint64_t *)member, source->is_count);
	case COUNT:
		break;
	}
	return cell_number(cell, *(const uint32_t *)member);
}

static struct table_look look(const struct filling *filling, const void *of)
{
	const struct imbalance_source *source = filling->source;
	const struct imbalance_row *row = of;

	return table_look_of((double)row->saved_ns, (double)source->imbalance->whole.max_ns);
}

int imbalance_table_make(struct table *table, const struct imbalance_source *source, bool human,
			 struct err *err)
{
	const struct imbalance *imbalance = source->imbalance;
	const struct columns_report report = {
		.name = source->name,
		.for_people = COLUMN_LIST(for_people),
		.for_programs = COLUMN_LIST(for_programs),
		.print = print,
		.look = look,
	};
	struct filling filling =
		FILLING(source, imbalance->rows, imbalance->count, source->limit, human);
	int status = columns_fill(table, &report, &filling, err);

	if (!status && source->is_count)
		event_columns_rename(table);
	if (!status)
		table_rename(table, LABEL_COLUMN, source->groups->key);
	return status;
}

void imbalance_table_summary(const struct imbalance_source *source, const char *what, FILE *out)
{
	const struct imbalance_row *whole = &source->imbalance->whole;
	char min[UNITS_BYTES], mean[UNITS_BYTES], max[UNITS_BYTES], saved[UNITS_BYTES];
	char share[UNITS_BYTES];
	bool is_count = source->is_count;

	printable_print(out, "%s by %s: %s to %s, mean %s, of %zu; %s %s has the most\n", what,
			source->groups->key, units_amount(min, (double)whole->min_ns, is_count),
			units_amount(max, (double)whole->max_ns, is_count),
			units_amount(mean, (double)whole->mean_ns, is_count), source->groups->count,
			source->groups->key, whole->most ? whole->most : "-");
	fprintf(out, "%s (%s of that) would be saved if all were even\n",
		units_amount(saved, (double)whole->saved_ns, is_count),
		units_share(share, (double)whole->saved_ns, (double)whole->max_ns));
}

/* Adds a number under PREFIX and its name: NAME_ns, or NAME_events. */
static int add_number(struct table *table, const struct imbalance_source *source,
		      const char *prefix, const char *name, uint64_t value)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%s_%s", prefix, name, source->is_count ? "events" : "ns");
	return table_add_meta_number(table, text, value);
}

int imbalance_table_add_meta(struct table *table, const struct imbalance_source *source,
			     const char *prefix)
{
	const struct imbalance_row *whole = &source->imbalance->whole;
	char text[64];

	snprintf(text, sizeof(text), "%s%s", prefix, "most");
	if (add_number(table, source, prefix, "min", whole->min_ns) ||
	    add_number(table, source, prefix, "mean", whole->mean_ns) ||
	    add_number(table, source, prefix, "max", whole->max_ns) ||
	    add_number(table, source, prefix, "saved", whole->saved_ns))
		return -ENOMEM;
	return table_add_meta(table, text, whole->most ? whole->most : "");
}
