/* SPDX-License-Identifier: MIT */
#include "output/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "output/table_formats.h"

static const struct {
	const char *name;
	void (*write)(const struct table *, FILE *);
} formats[] = {
	[TABLE_TEXT] = { "text", table_write_text },
	[TABLE_JSON] = { "json", table_write_json },
	[TABLE_CSV] = { "csv", table_write_csv },
};

bool table_format_parse(const char *name, enum table_format *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i].name, name) == 0) {
			*format = (enum table_format)i;
			return true;
		}
	}
	return false;
}

void table_init(struct table *table, const char *name, const struct table_column *columns,
		size_t column_count)
{
	*table = (struct table){ .name = name, .columns = columns, .column_count = column_count };
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	for (size_t i = 0; i < table->meta_count; i++) {
		free(table->meta[i].name);
		free(table->meta[i].value);
	}
	free(table->cells);
	free(table->meta);
	*table = (struct table){ 0 };
}

static int add_cell(struct table *table, const char *text)
{
	char **cells = vec_room(table->cells, table->cell_count, sizeof(*cells));
	char *copy = text ? strdup(text) : NULL;

	if (cells)
		table->cells = cells;
	if (!cells || (text && !copy)) {
		free(copy);
		return -ENOMEM;
	}
	table->cells[table->cell_count++] = copy;
	return 0;
}

int table_add(struct table *table, const char *const *cells)
{
	size_t before = table->cell_count;

	for (size_t i = 0; i < table->column_count; i++) {
		if (add_cell(table, cells[i]) == 0)
			continue;
		/* Half a row would shift all that follow. */
		while (table->cell_count > before)
			free(table->cells[--table->cell_count]);
		return -ENOMEM;
	}
	return 0;
}

int table_add_meta(struct table *table, const char *name, const char *value)
{
	struct table_meta *meta = vec_room(table->meta, table->meta_count, sizeof(*meta));
	struct table_meta pair = { strdup(name), strdup(value) };

	if (meta)
		table->meta = meta;
	if (!meta || !pair.name || !pair.value) {
		free(pair.name);
		free(pair.value);
		return -ENOMEM;
	}
	table->meta[table->meta_count++] = pair;
	return 0;
}

void table_write(const struct table *table, enum table_format format, FILE *out)
{
	formats[format].write(table, out);
}
