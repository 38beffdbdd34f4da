/* SPDX-License-Identifier: MIT */
#include "export_tables.h"

#include "report.h"

static int write(const struct export_source *source, enum table_format format, FILE *out,
		 struct err *err)
{
	const struct report_options options = { .filter = source->filter, .format = format };

	return report_write(source->reader, &options, out, err);
}

int export_table_json(const struct export_source *source, FILE *out, struct err *err)
{
	return write(source, TABLE_JSON, out, err);
}

int export_table_csv(const struct export_source *source, FILE *out, struct err *err)
{
	return write(source, TABLE_CSV, out, err);
}
