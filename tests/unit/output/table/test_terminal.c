/* SPDX-License-Identifier: MIT */
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "output/table/terminal.h"
#include "tap.h"

/* Opens a terminal of so many columns for writing; NULL: none are available. */
static FILE *open_terminal(unsigned short columns, int *master)
{
	struct winsize size = { .ws_row = 24, .ws_col = columns };
	int slave;

	return openpty(master, &slave, NULL, NULL, &size) ? NULL : fdopen(slave, "w");
}

static void set(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

static void widths(FILE *out)
{
	set("COLUMNS", NULL);
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).width == 97, "the terminal says how wide it is");
	set("COLUMNS", "40");
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).width == 40, "COLUMNS knows better");
	set("COLUMNS", "0");
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).width == 97, "unless it makes no sense");
	set("COLUMNS", "wide");
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).width == 97, "or is not a number");
	set("COLUMNS", NULL);
}

static void colors(FILE *out)
{
	set("TERM", "xterm");
	set("NO_COLOR", NULL);
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).has_color, "a terminal has colours");
	ok(!terminal_of(out, TERMINAL_COLOR_NEVER).has_color, "never: it has not");
	set("NO_COLOR", "");
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).has_color, "NO_COLOR that is empty is not set");
	set("NO_COLOR", "0");
	ok(!terminal_of(out, TERMINAL_COLOR_AUTO).has_color, "any other value means no colours");
	ok(terminal_of(out, TERMINAL_COLOR_ALWAYS).has_color, "unless they are asked for");
	set("NO_COLOR", NULL);
	set("TERM", "dumb");
	ok(!terminal_of(out, TERMINAL_COLOR_AUTO).has_color && !terminal_is_smart(out),
	   "a dumb terminal has none");
	set("TERM", NULL);
	ok(!terminal_of(out, TERMINAL_COLOR_AUTO).has_color && !terminal_is_smart(out),
	   "nor has an unknown one");
}

static void charsets(FILE *out)
{
	set("LC_ALL", "C.UTF-8");
	ok(terminal_of(out, TERMINAL_COLOR_AUTO).has_utf8, "UTF-8, where the locale says so");
	set("LC_ALL", "C");
	ok(!terminal_of(out, TERMINAL_COLOR_AUTO).has_utf8, "and else not");
	set("LC_ALL", "no_SUCH.locale");
	ok(!terminal_of(out, TERMINAL_COLOR_AUTO).has_utf8, "nor in a locale that is not there");
}

static void files(void)
{
	FILE *file = tmpfile();
	struct terminal plain = terminal_of(file, TERMINAL_COLOR_AUTO);
	struct terminal colored = terminal_of(file, TERMINAL_COLOR_ALWAYS);
	char *text = NULL;
	size_t size;
	FILE *memory = open_memstream(&text, &size);

	set("COLUMNS", "40");
	set("TERM", "xterm");
	set("LC_ALL", "C.UTF-8");
	ok(!plain.width && !plain.has_color && !plain.has_utf8, "a file is not a terminal");
	ok(!terminal_is_smart(file), "and not a smart one");
	ok(!colored.width && colored.has_color, "colours are there if asked for, and nothing else");
	ok(!terminal_of(memory, TERMINAL_COLOR_AUTO).width, "nor is a stream without a descriptor");
	fclose(memory);
	free(text);
	fclose(file);
}

static void names(void)
{
	enum terminal_color color;

	ok(terminal_color_parse("always", &color) && color == TERMINAL_COLOR_ALWAYS, "always");
	ok(terminal_color_parse("never", &color) && color == TERMINAL_COLOR_NEVER, "never");
	ok(terminal_color_parse("auto", &color) && color == TERMINAL_COLOR_AUTO, "auto");
	ok(!terminal_color_parse("yes", &color) && !terminal_color_parse("", &color), "no others");
}

int main(void)
{
	int master;
	FILE *out = open_terminal(97, &master);

	if (out) {
		widths(out);
		colors(out);
		charsets(out);
		fclose(out);
		close(master);
	} else {
		skip("terminals", "there are none here");
	}
	files();
	names();
	return tap_done();
}
