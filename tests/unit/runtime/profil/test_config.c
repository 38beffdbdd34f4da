/* SPDX-License-Identifier: MIT */
#include <profil.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profil/config.h"
#include "tap.h"

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		bail_out("the environment cannot be changed");
}

static const char *shown(const char *value)
{
	return value ? value : "(not set)";
}

static void valid_hz(const char *text, uint32_t hz)
{
	set("PROFIL_HZ", text);
	ok(config_read().hz == hz, "PROFIL_HZ \"%s\" is %u a second", shown(text), hz);
}

static void invalid_hz(const char *text)
{
	set("PROFIL_HZ", text);
	ok(config_read().hz == 0, "PROFIL_HZ \"%s\" is refused", text);
}

static void hz(void)
{
	valid_hz(NULL, 100);
	valid_hz("", 100);
	valid_hz("1", 1);
	valid_hz("99", 99);
	valid_hz("100", 100);
	valid_hz("0100", 100);
	valid_hz("1000", 1000);
	valid_hz("20000", 20000);
	invalid_hz("0");
	invalid_hz("00");
	invalid_hz("20001");
	invalid_hz("4294967396"); /* 100 in its low 32 bits */
	invalid_hz("18446744073709551716");
	invalid_hz("-1");
	invalid_hz("+100");
	invalid_hz(" 100");
	invalid_hz("100 ");
	invalid_hz("100Hz");
	invalid_hz("0x64");
	invalid_hz("1e2");
	invalid_hz("99.9");
	invalid_hz("fast");
	set("PROFIL_HZ", NULL);
}

/* The clocks check their names: here any text is valid. */
static void clock_names(void)
{
	static const char *const names[] = { "perf", "timer", "itimer", "sundial", " " };
	struct sampler_setting config;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		set("PROFIL_CLOCK", names[i]);
		config = config_read();
		ok(config.hz && config.clock && strcmp(config.clock, names[i]) == 0,
		   "PROFIL_CLOCK \"%s\" is passed on as it is", names[i]);
	}
	set("PROFIL_CLOCK", "");
	config = config_read();
	ok(config.hz && !config.clock, "an empty PROFIL_CLOCK is the best there is");
	set("PROFIL_CLOCK", NULL);
	config = config_read();
	ok(config.hz && !config.clock, "so is none");
}

static void dialect(const char *name, int expected)
{
	set("PROFIL_DIALECT", name);
	ok(config_dialect() == expected, "PROFIL_DIALECT \"%s\" is %s", shown(name),
	   expected ? "a dialect" : "none");
}

int main(void)
{
	hz();
	clock_names();
	dialect(NULL, PROFIL_LINUX);
	dialect("", PROFIL_LINUX);
	dialect("linux", PROFIL_LINUX);
	dialect("bsd", PROFIL_BSD);
	dialect("solaris", PROFIL_SOLARIS);
	dialect("Linux", 0);
	dialect("BSD", 0);
	dialect("solaris ", 0);
	dialect("sol", 0);
	dialect("1", 0);
	dialect("plan9", 0);
	return tap_done();
}
