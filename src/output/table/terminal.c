/* SPDX-License-Identifier: MIT */
#include "terminal.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/decimal.h"

static const char *const colors[] = {
	[TERMINAL_COLOR_AUTO] = "auto",
	[TERMINAL_COLOR_ALWAYS] = "always",
	[TERMINAL_COLOR_NEVER] = "never",
};

bool terminal_color_parse(const char *name, enum terminal_color *color)
{
	for (size_t i = 0; i < sizeof(colors) / sizeof(colors[0]); i++) {
		if (strcmp(colors[i], name) == 0) {
			*color = (enum terminal_color)i;
			return true;
		}
	}
	return false;
}

static bool is_terminal(FILE *out)
{
	int fd = fileno(out);

	return fd >= 0 && isatty(fd);
}

bool terminal_is_smart(FILE *out)
{
	const char *kind = getenv("TERM");

	return is_terminal(out) && kind && *kind && strcmp(kind, "dumb") != 0;
}

/* COLUMNS is the user's choice, if it is exported at all. */
static size_t width_of(FILE *out)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;
	uint64_t width;

	if (columns && decimal_parse(columns, INT_MAX, &width) && width > 0)
		return (size_t)width;
	return ioctl(fileno(out), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

/* Reads the environment without setting our locale: names are matched byte by byte. */
static bool has_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool has = locale && strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") == 0;

	if (locale)
		freelocale(locale);
	return has;
}

static bool wants_no_color(void)
{
	const char *no_color = getenv("NO_COLOR");

	return no_color && *no_color;
}

struct terminal terminal_of(FILE *out, enum terminal_color color)
{
	struct terminal terminal = { .has_color = color == TERMINAL_COLOR_ALWAYS };

	if (!is_terminal(out))
		return terminal;
	terminal.width = width_of(out);
	terminal.has_utf8 = has_utf8();
	if (color == TERMINAL_COLOR_AUTO)
		terminal.has_color = terminal_is_smart(out) && !wants_no_color();
	return terminal;
}
