/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/injection.h"
#include "tap.h"

static void write_file(const char *folder, const char *name)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fclose(file))
		bail_out("no file can be written here");
}

static void is(const char *variable, const char *expected, const char *what)
{
	const char *value = getenv(variable);

	if (!ok(expected ? value && strcmp(value, expected) == 0 : !value, "%s", what))
		note("%s=%s", variable, value ? value : "(none)");
}

static void environment(void)
{
	struct injection audit = { (char[]){ "/x/run.so" }, (char[]){ "/x/audit.so" }, NULL };
	struct injection got = { (char[]){ "/x/run.so" }, NULL, NULL };

	unsetenv("LD_AUDIT");
	unsetenv("LD_PRELOAD");
	injection_set_environment(&audit, "/d/data");
	is("DWELL_DATA", "/d/data", "the target is told where to record to");
	is("LD_PRELOAD", "/x/run.so", "the runtime is loaded");
	is("LD_AUDIT", "/x/audit.so", "and the auditor");
	injection_set_environment(&audit, "/d/other");
	is("DWELL_DATA", "/d/other", "under another dwell, the inner one has the data");
	is("LD_AUDIT", "/x/audit.so", "and one auditor is enough");
	setenv("LD_PRELOAD", "/usr/x/run.so /y.so", 1);
	setenv("LD_AUDIT", "/z.so", 1);
	injection_set_environment(&audit, "/d/data");
	is("LD_PRELOAD", "/x/run.so:/usr/x/run.so /y.so", "the user's libraries come behind ours");
	is("LD_AUDIT", "/x/audit.so:/z.so", "and so do auditors");
	setenv("LD_AUDIT", "", 1);
	injection_set_environment(&got, "/d/data");
	is("LD_PRELOAD", "/x/run.so:/usr/x/run.so /y.so", "ours is there once");
	is("LD_AUDIT", "", "without an auditor there is none");
}

static void finding(const char *folder)
{
	char other[256];
	struct injection injection;
	struct err err = { "" };

	setenv("DWELL_LIBDIR", folder, 1);
	ok(injection_find(&injection, INJECTION_CALLS | INJECTION_AUDITOR, &err) < 0 &&
		   strstr(err.text, "libdwell-calls.so of dwell is not there"),
	   "a library that is not there");
	write_file(folder, "libdwell-calls.so");
	ok(injection_find(&injection, INJECTION_CALLS | INJECTION_AUDITOR, &err) < 0 &&
		   strstr(err.text, "libdwell-audit.so"),
	   "the other");
	ok(injection_find(&injection, INJECTION_CALLS, &err) == 0 && !injection.auditor,
	   "which is not always needed");
	injection_free(&injection);
	snprintf(other, sizeof(other), "%s/a b", folder);
	mkdir(other, 0700);
	write_file(other, "libdwell-calls.so");
	setenv("DWELL_LIBDIR", other, 1);
	ok(injection_find(&injection, INJECTION_CALLS, &err) < 0 &&
		   strstr(err.text, "the linker cannot load"),
	   "a name that the linker would take for two");
	chdir(folder);
	remove("a b/libdwell-calls.so");
	remove("a b");
	remove("libdwell-calls.so");
}

int main(void)
{
	char folder[] = "/tmp/dwell-injection.XXXXXX";

	if (!mkdtemp(folder))
		bail_out("there is no folder to test in");
	environment();
	finding(folder);
	rmdir(folder);
	return tap_done();
}
