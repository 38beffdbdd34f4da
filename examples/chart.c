/* SPDX-License-Identifier: MIT */
#include "chart.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define DEFAULT_COLUMNS 80 /* where there is no terminal */
#define LONGEST_BAR     60 /* columns, however wide the terminal is */

static int terminal_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return DEFAULT_COLUMNS;
	return size.ws_col;
}

/* The caller's setlocale() decides. */
static bool locale_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* In eighths of a column: UTF-8 has a character for each. */
static void print_bar(int eighths, bool utf8)
{
	static const char *const parts[] = { "", "▏", "▎", "▍", "▌", "▋", "▊", "▉" };

	if (!utf8)
		eighths = (eighths + 4) / 8 * 8;
	for (; eighths >= 8; eighths -= 8)
		fputs(utf8 ? "█" : "#", stdout);
	fputs(parts[eighths], stdout);
}

static int most_samples_first(const void *a, const void *b)
{
	const struct row *r = a, *s = b;

	return (r->samples < s->samples) - (r->samples > s->samples);
}

static int longest_name(const struct row *rows, size_t count)
{
	size_t longest = strlen("function");

	for (size_t i = 0; i < count; i++)
		if (strlen(rows[i].name) > longest)
			longest = strlen(rows[i].name);
	return (int)longest;
}

static void print_seconds(double seconds)
{
	if (seconds > 0)
		printf(" %6.2f s", seconds);
	else
		printf(" %8s", "");
}

void chart_print(struct row *rows, size_t count, double hz)
{
	int name_columns = longest_name(rows, count);
	int used = printf("%7s %7s %8s %8s  ", "samples", "share", "seconds", "told");
	int bar = terminal_columns() - used - name_columns - 2;
	unsigned long long all = 0;
	bool utf8 = locale_is_utf8();

	bar = bar < 0 ? 0 : bar > LONGEST_BAR ? LONGEST_BAR : bar;
	puts("function");
	qsort(rows, count, sizeof(*rows), most_samples_first);
	for (size_t i = 0; i < count; i++)
		all += rows[i].samples;
	for (size_t i = 0; i < count; i++) {
		double samples = (double)rows[i].samples;

		printf("%7llu %5.1f %%", rows[i].samples, 100 * samples / (double)all);
		print_seconds(samples / hz);
		print_seconds(rows[i].told_seconds);
		printf("  %-*s", bar ? name_columns + 2 : 0, rows[i].name);
		print_bar((int)(samples * bar * 8 / (double)rows[0].samples), utf8);
		putchar('\n');
	}
}
