/* SPDX-License-Identifier: MIT */
#include "gmon_table.h"

#include <inttypes.h>
#include <math.h>

#include "output/table/printable.h"
#include "output/table/units.h"

static const struct table_column for_people[] = {
	{ "self", COLUMN_NUMBER },
	{ "share", COLUMN_NUMBER },
	{ "calls", COLUMN_NUMBER },
	{ "function", COLUMN_GIVES },
};

/* As that of samples, as far as it goes. */
static const struct table_column for_programs[] = {
	{ "name", 0 },
	{ "symbol", 0 },
	{ "object", 0 },
	{ "self", COLUMN_NUMBER },
	{ "self_ns", COLUMN_NUMBER },
	{ "calls", COLUMN_NUMBER },
};

static const struct table_column of_calls[] = {
	{ "caller", 0 },
	{ "callee", 0 },
	{ "calls", COLUMN_NUMBER },
};

#define COUNT_OF(columns) (sizeof(columns) / sizeof((columns)[0]))

static const char *print_plain(char *room, uint64_t number)
{
	snprintf(room, UNITS_BYTES, "%" PRIu64, number);
	return room;
}

static int add_for_people(struct table *table, const struct gmon_profile *profile,
			  const struct gmon_row *row)
{
	char self[UNITS_BYTES], share[UNITS_BYTES], calls[UNITS_BYTES];
	const char *cells[] = { units_time(self, row->ns), units_share(share, row->ns, profile->ns),
				row->calls ? units_count(calls, row->calls) : NULL, row->name };

	return table_add(table, cells);
}

static int add_for_programs(struct table *table, const struct gmon_profile *profile,
			    const struct gmon_row *row)
{
	char samples[UNITS_BYTES], ns[UNITS_BYTES], calls[UNITS_BYTES];
	const char *cells[] = { row->name,
				row->symbol,
				profile->title,
				print_plain(samples, (uint64_t)llround(row->samples)),
				print_plain(ns, (uint64_t)llround(row->ns)),
				row->calls ? print_plain(calls, row->calls) : NULL };

	return table_add(table, cells);
}

int gmon_table_make(struct table *table, const struct gmon_profile *profile, size_t limit,
		    bool human, struct err *err)
{
	int status = 0;

	if (human)
		table_init(table, "samples", for_people, COUNT_OF(for_people));
	else
		table_init(table, "samples", for_programs, COUNT_OF(for_programs));
	for (size_t i = 0; i < profile->count && i < limit && !status; i++)
		status = human ? add_for_people(table, profile, &profile->rows[i])
			       : add_for_programs(table, profile, &profile->rows[i]);
	if (!status && !human)
		status = table_add_meta_number(table, "samples",
					       (uint64_t)llround(profile->samples)) ||
			 table_add_meta_number(table, "samples_ns",
					       (uint64_t)llround(profile->ns)) ||
			 table_add_meta_number(table, "rate", profile->rate);
	if (!status)
		return 0;
	table_fini(table);
	return err_no_memory(err);
}

int gmon_table_make_calls(struct table *table, const struct gmon_profile *profile, struct err *err)
{
	table_init(table, "arcs", of_calls, COUNT_OF(of_calls));
	for (size_t i = 0; i < profile->call_count; i++) {
		const struct gmon_call *call = &profile->calls[i];
		char count[UNITS_BYTES];
		const char *cells[] = { profile->rows[call->caller].name,
					profile->rows[call->callee].name,
					print_plain(count, call->count) };

		if (table_add(table, cells)) {
			table_fini(table);
			return err_no_memory(err);
		}
	}
	return 0;
}

void gmon_table_write_summary(const struct gmon_profile *profile, FILE *out)
{
	char samples[UNITS_BYTES], time[UNITS_BYTES], rate[UNITS_BYTES];

	printable_print(out, "%s: %s samples, %s of CPU time", profile->title,
			units_count(samples, (uint64_t)llround(profile->samples)),
			units_time(time, profile->ns));
	if (profile->rate)
		fprintf(out, "; %s in a second", units_count(rate, profile->rate));
	putc('\n', out);
}
