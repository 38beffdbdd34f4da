/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli/report/report_part.h"
#include "output/table/columns.h"
#include "query.h"

/* The default number of rows. */
#define USUAL_ROWS 20

/* The contents of a cell. */
enum what { SAVED, IMBALANCE, LEAST, MEAN, MOST, UNIT, NAME, OBJECT };

static const struct column for_people[] = {
	{ "saved", SAVED, 0, COLUMN_NUMBER | COLUMN_STYLED },
	{ "imbalance", IMBALANCE, 0, COLUMN_NUMBER | COLUMN_DROPS_5TH },
	{ "min", LEAST, 0, COLUMN_NUMBER | COLUMN_DROPS_2ND },
	{ "mean", MEAN, 0, COLUMN_NUMBER | COLUMN_DROPS_3RD },
	{ "max", MOST, 0, COLUMN_NUMBER | COLUMN_DROPS_4TH },
	{ "at", UNIT, 0, COLUMN_GIVES_TOO | COLUMN_STYLED },
	{ "function", NAME, 0, COLUMN_GIVES | COLUMN_FUNCTION | COLUMN_STYLED },
	{ "object", OBJECT, 0, COLUMN_GIVES_TOO | COLUMN_DIM | COLUMN_DROPS_1ST },
};

static const struct column for_programs[] = {
	{ "name", NAME, 0, 0 },
	{ "object", OBJECT, 0, 0 },
	{ "min_ns", LEAST, 0, COLUMN_NUMBER },
	{ "mean_ns", MEAN, 0, COLUMN_NUMBER },
	{ "max_ns", MOST, 0, COLUMN_NUMBER },
	{ "saved_ns", SAVED, 0, COLUMN_NUMBER },
	{ "at", UNIT, 0, 0 },
};

static uint64_t saved_ns(const struct fetched_spread *spread)
{
	return spread->most_ns > spread->mean_ns ? spread->most_ns - spread->mean_ns : 0;
}

static const char *print(const struct filling *filling, const void *row,
			 const struct column *column, struct cell *cell)
{
	const struct fetched_spread *spread = row;

	(void)filling;
	switch ((enum what)column->what) {
	case SAVED:
		return cell_time(cell, saved_ns(spread));
	case IMBALANCE:
		return units_share(cell->room, (double)saved_ns(spread), (double)spread->mean_ns);
	case LEAST:
		return cell_time(cell, spread->least_ns);
	case MEAN:
		return cell_time(cell, spread->mean_ns);
	case MOST:
		return cell_time(cell, spread->most_ns);
	case UNIT:
		return spread->unit;
	case NAME:
		return *spread->name ? spread->name : "[unknown]";
	default:
		return spread->object;
	}
}

static const struct columns_report report = {
	.name = "imbalance",
	.for_people = COLUMN_LIST(for_people),
	.for_programs = COLUMN_LIST(for_programs),
	.print = print,
};

static int show(struct query *query, const struct fetched_query *question, struct err *err)
{
	size_t rows = report_rows(&query->report, USUAL_ROWS), count;
	struct fetched_spread *list;
	struct fetched_totals totals;
	struct table table;
	int status = fetched_sum(question, &totals, err);

	if (!status)
		status = fetched_spreads(question, totals.units,
					 rows < UINT32_MAX ? rows : UINT32_MAX, &list, &count, err);
	if (status)
		return status;
	{
		struct filling filling =
			FILLING(NULL, list, count, rows, query->report.format == TABLE_TEXT);

		status = columns_fill(&table, &report, &filling, err);
	}
	if (!status)
		status = query_write(query, &table, count, &totals, err);
	fetched_spreads_free(list, count);
	return status;
}

int query_imbalance(struct query *query, struct err *err)
{
	char *column = selection_column(query->selection.table, query->by ? query->by : "rank");
	struct fetched_query question = { .server = query->server,
					  .selection = &query->selection,
					  .by = column };
	int status = column ? show(query, &question, err) : err_no_memory(err);

	free(column);
	return status;
}
