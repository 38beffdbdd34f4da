/* SPDX-License-Identifier: MIT */
#include "columns.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

void columns_begin(struct table *table, const struct columns_report *report,
		   struct filling *filling)
{
	const struct column_list *list =
		filling->human ? &report->for_people : &report->for_programs;
	struct table_column shown[TABLE_COLUMNS_MAX];

	for (size_t i = 0; i < list->count && filling->count < TABLE_COLUMNS_MAX; i++) {
		const struct column *column = &list->columns[i];

		if (report->applies && !report->applies(filling, column))
			continue;
		shown[filling->count] = (struct table_column){ column->name, column->flags };
		filling->columns[filling->count++] = column;
	}
	table_init(table, report->name, shown, filling->count);
}

int columns_add(struct table *table, const struct columns_report *report,
		const struct filling *filling, const void *row)
{
	struct table_look look = { 0 };
	const char *texts[TABLE_COLUMNS_MAX];
	struct cell cells[TABLE_COLUMNS_MAX];
	bool failed = false;
	int status = -ENOMEM;

	for (size_t i = 0; i < filling->count; i++) {
		cells[i].human = filling->human;
		cells[i].failed = false;
		cells[i].text = NULL;
		texts[i] = report->print(filling, row, filling->columns[i], &cells[i]);
		failed = failed || cells[i].failed;
	}
	if (report->look)
		look = report->look(filling, row);
	if (!failed)
		status = table_add_looking(table, texts, look);
	for (size_t i = 0; i < filling->count; i++)
		free(cells[i].text);
	return status;
}

int columns_fill(struct table *table, const struct columns_report *report, struct filling *filling,
		 struct err *err)
{
	columns_begin(table, report, filling);
	for (size_t i = 0; i < filling->row_count; i++) {
		const char *row = (const char *)filling->rows + i * filling->row_bytes;

		if (columns_add(table, report, filling, row)) {
			table_fini(table);
			return err_no_memory(err);
		}
	}
	return 0;
}

const char *cell_number(struct cell *cell, uint64_t number)
{
	snprintf(cell->room, UNITS_BYTES, "%" PRIu64, number);
	return cell->room;
}

const char *cell_count(struct cell *cell, uint64_t number)
{
	return cell->human ? units_count(cell->room, number) : cell_number(cell, number);
}

const char *cell_time(struct cell *cell, uint64_t ns)
{
	return cell->human ? units_time(cell->room, (double)ns) : cell_number(cell, ns);
}

const char *cell_amount(struct cell *cell, uint64_t amount, bool is_count)
{
	return is_count ? cell_count(cell, amount) : cell_time(cell, amount);
}

const char *cell_double(struct cell *cell, const char *format, double value)
{
	snprintf(cell->room, UNITS_BYTES, format, value);
	return cell->room;
}

const char *cell_own(struct cell *cell, char *text)
{
	cell->text = text;
	cell->failed = !text;
	return text;
}
