/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/injection.h"
#include "machines.h"
#include "tap.h"

static void write_file(const char *folder, const char *name)
{
	char path[512];
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

/* As ld.so(8) calls those that this CPU runs; of the first there always are. */
static const char *first;

static char *in_folder(const char *folder, const char *platform)
{
	static char path[300];

	snprintf(path, sizeof(path), "%s/%s", folder, platform);
	return path;
}

static int find(struct injection *injection, unsigned parts, struct err *err)
{
	return injection_find(injection, parts, first, err);
}

static void finding(const char *folder)
{
	struct injection injection;
	struct err err = { "" };

	setenv("DWELL_LIBDIR", folder, 1);
	mkdir(in_folder(folder, first), 0700);
	ok(find(&injection, INJECTION_CALLS | INJECTION_AUDITOR, &err) < 0 &&
		   strstr(err.text, "libdwell-calls.so of dwell is not there for") &&
		   strstr(err.text, first),
	   "a library that is not there");
	write_file(in_folder(folder, first), "libdwell-calls.so");
	ok(find(&injection, INJECTION_CALLS | INJECTION_AUDITOR, &err) < 0 &&
		   strstr(err.text, "libdwell-audit.so"),
	   "the other");
	ok(find(&injection, INJECTION_CALLS, &err) == 0 && !injection.auditor &&
		   strstr(injection.calls, first),
	   "which is not always needed");
	injection_free(&injection);
	remove(strcat(in_folder(folder, first), "/libdwell-calls.so"));
	remove(in_folder(folder, first));
}

/* Each linker is to find its own. */
static void several(const char *folder)
{
	const size_t count = sizeof(arch_machines) / sizeof(arch_machines[0]);
	struct injection injection;
	struct err err = { "" };

	if (count < 2) {
		skip("programs of several kinds", "this CPU runs programs of one");
		return;
	}
	setenv("DWELL_LIBDIR", folder, 1);
	for (size_t i = 0; i < count; i++) {
		mkdir(in_folder(folder, arch_machines[i].platform), 0700);
		write_file(in_folder(folder, arch_machines[i].platform), "libdwell-calls.so");
	}
	ok(find(&injection, INJECTION_CALLS, &err) == 0 &&
		   strstr(injection.calls, "/$PLATFORM/libdwell-calls.so"),
	   "where programs may run others of another kind, the linker chooses");
	injection_free(&injection);
	for (size_t i = 0; i < count; i++) {
		remove(strcat(in_folder(folder, arch_machines[i].platform), "/libdwell-calls.so"));
		remove(in_folder(folder, arch_machines[i].platform));
	}
}

static void bad_folder(const char *folder)
{
	char other[256];
	struct injection injection;
	struct err err = { "" };

	snprintf(other, sizeof(other), "%s/a b", folder);
	mkdir(other, 0700);
	mkdir(in_folder(other, first), 0700);
	write_file(in_folder(other, first), "libdwell-calls.so");
	setenv("DWELL_LIBDIR", other, 1);
	ok(find(&injection, INJECTION_CALLS, &err) < 0 &&
		   strstr(err.text, "the linker cannot load"),
	   "a name that the linker would take for two");
	remove(strcat(in_folder(other, first), "/libdwell-calls.so"));
	remove(in_folder(other, first));
	remove(other);
}

int main(void)
{
	char folder[] = "/tmp/dwell-injection.XXXXXX";

	if (!mkdtemp(folder))
		bail_out("there is no folder to test in");
	first = arch_machines[0].platform;
	environment();
	finding(folder);
	several(folder);
	bad_folder(folder);
	rmdir(folder);
	return tap_done();
}
