/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/vec.h"
#include "table_formats.h"

/* Shares above which a row is highlighted. */
#define WARM_SHARE 0.03
#define HOT_SHARE  0.1

static const char *const formats[] = {
	[TABLE_TEXT] = "text",
	[TABLE_JSON] = "json",
	[TABLE_CSV] = "csv",
};

bool table_format_parse(const char *name, enum table_format *format)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		if (strcmp(formats[i], name) == 0) {
			*format = (enum table_format)i;
			return true;
		}
	}
	return false;
}

void table_init(struct table *table, const char *name, const struct table_column *columns,
		size_t column_count)
{
	*table = (struct table){ .name = name, .column_count = column_count };
	for (size_t i = 0; i < column_count; i++)
		table->columns[i] = columns[i];
}

static void meta_free(struct table_meta *meta)
{
	for (size_t i = 0; i < meta->count; i++)
		free(meta->values[i]);
	free(meta->values);
	free(meta->name);
}

void table_rename(struct table *table, const char *name, const char *new_name)
{
	for (size_t i = 0; i < table->column_count; i++)
		if (strcmp(table->columns[i].name, name) == 0)
			table->columns[i].name = new_name;
}

int table_rename_with(struct table *table, const char *name, const char *word)
{
	for (size_t i = 0; i < table->column_count; i++) {
		char *text;

		if (strcmp(table->columns[i].name, name) != 0 || table->heads[i])
			continue;
		if (asprintf(&text, "%s %s", name, word) < 0)
			return -ENOMEM;
		table->columns[i].name = table->heads[i] = text;
	}
	return 0;
}

void table_fini(struct table *table)
{
	for (size_t i = 0; i < table->column_count; i++)
		free(table->heads[i]);
	for (size_t i = 0; i < table->cell_count; i++)
		free(table->cells[i]);
	for (size_t i = 0; i < table->meta_count; i++)
		meta_free(&table->meta[i]);
	free(table->cells);
	free(table->looks);
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

static int add_look(struct table *table, struct table_look look)
{
	struct table_look *looks = vec_room(table->looks, table->look_count, sizeof(*looks));

	if (!looks)
		return -ENOMEM;
	table->looks = looks;
	table->looks[table->look_count++] = look;
	return 0;
}

int table_add(struct table *table, const char *const *cells)
{
	return table_add_looking(table, cells, (struct table_look){ 0 });
}

int table_add_looking(struct table *table, const char *const *cells, struct table_look look)
{
	size_t before = table->cell_count;

	if (add_look(table, look))
		return -ENOMEM;
	for (size_t i = 0; i < table->column_count; i++) {
		if (add_cell(table, cells[i]) == 0)
			continue;
		/* Half a row would shift all that follow. */
		while (table->cell_count > before)
			free(table->cells[--table->cell_count]);
		table->look_count--;
		return -ENOMEM;
	}
	return 0;
}

struct table_look table_look_of(double part, double whole)
{
	struct table_look look = { .share = whole > 0 ? part / whole : 0 };

	if (look.share >= HOT_SHARE)
		look.style = STYLE_HOT;
	else if (look.share >= WARM_SHARE)
		look.style = STYLE_WARM;
	return look;
}

static int meta_init(struct table_meta *meta, const char *name, const char *const *values,
		     size_t count)
{
	meta->name = strdup(name);
	meta->values = calloc(count + 1, sizeof(*meta->values));
	if (!meta->name || !meta->values)
		return -ENOMEM;
	for (; meta->count < count; meta->count++) {
		const char *value = values[meta->count];

		meta->values[meta->count] = value ? strdup(value) : NULL;
		if (value && !meta->values[meta->count])
			return -ENOMEM;
	}
	return 0;
}

static int add_meta(struct table *table, enum table_meta_kind kind, const char *name,
		    const char *const *values, size_t count)
{
	struct table_meta *more = vec_room(table->meta, table->meta_count, sizeof(*more));
	struct table_meta meta = { .kind = kind };

	if (more)
		table->meta = more;
	if (!more || meta_init(&meta, name, values, count)) {
		meta_free(&meta);
		return -ENOMEM;
	}
	table->meta[table->meta_count++] = meta;
	return 0;
}

int table_add_meta(struct table *table, const char *name, const char *value)
{
	return add_meta(table, META_TEXT, name, &value, 1);
}

int table_add_meta_number(struct table *table, const char *name, uint64_t value)
{
	char digits[DECIMAL_DIGITS + 1];
	const char *text = digits;

	*decimal_print(digits, value) = '\0';
	return add_meta(table, META_NUMBER, name, &text, 1);
}

int table_add_meta_digits(struct table *table, const char *name, const char *digits)
{
	return add_meta(table, META_NUMBER, name, &digits, 1);
}

int table_add_meta_list(struct table *table, const char *name, const char *const *values,
			size_t count)
{
	return add_meta(table, META_LIST, name, values, count);
}

void table_write(const struct table *table, enum table_format format, FILE *out)
{
	table_write_all(&table, 1, format, out);
}

void table_write_all(const struct table *const *tables, size_t count, enum table_format format,
		     FILE *out)
{
	if (format == TABLE_JSON) {
		table_write_json(tables, count, out);
		return;
	}
	for (size_t i = 0; i < count; i++) {
		fputs(i ? "\n" : "", out);
		if (format == TABLE_CSV)
			table_write_csv(tables[i], out);
		else
			table_write_text(tables[i], out);
	}
}
