/* SPDX-License-Identifier: MIT */
#include "annotation_rows.h"

#include <string.h>

#include "output/table/printable.h"
#include "output/table/units.h"

#define TAB 8

/* As the hottest rows of tables: bold red. */
#define HOT   "\033[1;31m"
#define PLAIN "\033[0m"

uint64_t annotation_rows_ns(const struct annotation_rows *rows, const struct annotation_heat *heat)
{
	return rows->all->self.ns ? heat->self.ns : heat->total.ns;
}

void annotation_rows_write_head(const struct annotation_rows *rows, const char *what)
{
	fprintf(rows->out, "  %6s  ", "self");
	if (rows->has_total)
		fprintf(rows->out, "%6s  ", "total");
	fprintf(rows->out, "%7s  %s\n", "samples", what);
}

/* Writes shares even if they round to 0.0%: there was a sample. */
static void write_share(const struct annotation_rows *rows, uint64_t ns)
{
	char share[UNITS_BYTES];

	fprintf(rows->out, "%6s  ",
		ns ? units_share(share, (double)ns, (double)rows->all->total.ns) : "");
}

/* Returns whether a row is at least half as hot as the hottest; if nothing stands out, none is. */
static bool is_hot(const struct annotation_rows *rows, uint64_t ns)
{
	return ns && ns >= rows->hottest_ns / 2 && ns >= annotation_rows_ns(rows, rows->all) / 20;
}

void annotation_rows_begin(const struct annotation_rows *rows, const struct annotation_heat *heat)
{
	static const struct annotation_heat none;
	char count[UNITS_BYTES];
	bool hot;

	heat = heat ? heat : &none;
	hot = is_hot(rows, annotation_rows_ns(rows, heat));
	if (hot && rows->has_color)
		fputs(HOT, rows->out);
	fputs(hot ? "> " : "  ", rows->out);
	write_share(rows, heat->self.ns);
	if (rows->has_total)
		write_share(rows, heat->total.ns);
	fprintf(rows->out, "%7s  ",
		heat->self.samples ? units_count(count, heat->self.samples) : "");
	if (hot && rows->has_color)
		fputs(PLAIN, rows->out);
}

/* Makes the text printable: a source file is foreign bytes. */
void annotation_rows_end(const struct annotation_rows *rows, const char *text)
{
	size_t column = 0;

	for (;;) {
		size_t bytes = strcspn(text, "\t");

		printable_write_bytes(text, bytes, rows->out);
		column += printable_width_bytes(text, bytes);
		text += bytes;
		if (!*text)
			break;
		text++;
		fprintf(rows->out, "%*s", (int)(TAB - column % TAB), "");
		column += TAB - column % TAB;
	}
	putc('\n', rows->out);
}

void annotation_rows_skip(const struct annotation_rows *rows)
{
	fprintf(rows->out, "%*s...\n", rows->has_total ? 27 : 19, "");
}
