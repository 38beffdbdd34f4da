/* SPDX-License-Identifier: MIT */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/injection.h"
#include "emulated.h"
#include "machines.h"
#include "sanitized.h"
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

static int remove_one(const char *path, const struct stat *stat, int kind, struct FTW *walk)
{
	(void)stat;
	(void)kind;
	(void)walk;
	return remove(path);
}

static void remove_all(const char *folder)
{
	if (nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		note("%s is left", folder);
}

static void is(const struct variables *variables, const char *variable, const char *expected,
	       const char *what)
{
	const char *value = variables_get(variables, variable);

	if (!ok(value && strcmp(value, expected) == 0, "%s", what))
		note("%s=%s", variable, value ? value : "(none)");
}

static void environment(void)
{
	struct injection audit = { (char[]){ "/x/run.so" }, (char[]){ "/x/audit.so" }, NULL };
	struct injection got = { (char[]){ "/x/run.so" }, NULL, NULL };
	char *const none[] = { NULL };
	struct variables target;

	if (variables_copy(&target, none))
		bail_out("there is no memory");
	injection_set_variables(&audit, "/d/data", &target);
	is(&target, "DWELL_DATA", "/d/data", "the target gets the path of the recording");
	is(&target, "LD_PRELOAD", "/x/run.so", "the runtime is loaded");
	is(&target, "LD_AUDIT", "/x/audit.so", "and the auditor");
	injection_set_variables(&audit, "/d/other", &target);
	is(&target, "DWELL_DATA", "/d/other", "under another dwell, the inner one has the data");
	is(&target, "LD_AUDIT", "/x/audit.so", "and one auditor is enough");
	variables_set(&target, "LD_PRELOAD", "/usr/x/run.so /y.so");
	variables_set(&target, "LD_AUDIT", "/z.so");
	injection_set_variables(&audit, "/d/data", &target);
	is(&target, "LD_PRELOAD", "/x/run.so:/usr/x/run.so /y.so",
	   "the user's libraries come behind ours");
	is(&target, "LD_AUDIT", "/x/audit.so:/z.so", "and so do auditors");
	variables_set(&target, "LD_AUDIT", "");
	injection_set_variables(&got, "/d/data", &target);
	is(&target, "LD_PRELOAD", "/x/run.so:/usr/x/run.so /y.so", "ours is there once");
	is(&target, "LD_AUDIT", "", "without an auditor there is none");
	variables_free(&target);
}

/* `dwell calls dwell record COMMAND`, and the other way round. */
static void one_in_another(void)
{
	struct injection calls = { (char[]){ "/x/$PLATFORM/libdwell-calls.so" },
				   (char[]){ "/x/$PLATFORM/libdwell-audit.so" }, NULL };
	struct injection record = { NULL, NULL, (char[]){ "/x/$PLATFORM/libdwell-record.so" } };
	char *const none[] = { NULL };
	struct variables target;

	if (variables_copy(&target, none))
		bail_out("there is no memory");
	variables_set(&target, "LD_PRELOAD", "/mine.so /libdwell-record.so.mine");
	variables_set(&target, "LD_AUDIT", "/z.so");
	injection_set_variables(&calls, "/d/calls", &target);
	injection_set_variables(&record, "/d/record", &target);
	is(&target, "LD_PRELOAD",
	   "/x/$PLATFORM/libdwell-record.so:/mine.so /libdwell-record.so.mine",
	   "a library of another dwell is replaced");
	is(&target, "LD_AUDIT", "/z.so", "and its auditor goes");
	injection_set_variables(&calls, "/d/calls", &target);
	is(&target, "LD_PRELOAD",
	   "/x/$PLATFORM/libdwell-calls.so:/mine.so /libdwell-record.so.mine",
	   "each replaces the other");
	is(&target, "LD_AUDIT", "/x/$PLATFORM/libdwell-audit.so:/z.so", "or comes back");
	variables_free(&target);
}

/* Returns whether the parts are found, and checks the message if they are not. */
static bool finds(struct injection *injection, unsigned parts, const struct elf_program *program,
		  const char *refusal)
{
	struct err err = { "" };
	int status = injection_find(injection, parts, program, &err);

	if (refusal ? status < 0 && strstr(err.text, refusal) : status == 0)
		return true;
	note("%d: %s", status, err.text);
	return false;
}

static void finding(const char *folder)
{
	const char *own = arch_machines[0].platform;
	const struct elf_program musl = { .platform = own, .is_musl = true };
	const struct elf_program other = { .platform = "pdp11", .is_musl = true };
	struct injection injection;
	char expected[300];

	setenv("DWELL_LIBDIR", folder, 1);
	chdir(folder);
	mkdir(own, 0700);
	ok(finds(&injection, INJECTION_CALLS | INJECTION_AUDITOR, NULL,
		 "dwell's library libdwell-calls.so is not installed"),
	   "a library that is not there");
	write_file(own, "libdwell-calls.so");
	ok(finds(&injection, INJECTION_CALLS | INJECTION_AUDITOR, NULL, "libdwell-audit.so"),
	   "the other");
	ok(finds(&injection, INJECTION_CALLS, NULL, NULL) && !injection.auditor,
	   "which is not always needed");
	snprintf(expected, sizeof(expected), "%s/%s/libdwell-calls.so", folder,
		 arch_machines[0].is_nameless ? own : "$PLATFORM");
	ok(injection.calls && strcmp(injection.calls, expected) == 0, "every linker finds its own");
	injection_free(&injection);
	snprintf(expected, sizeof(expected), "%s/$PLATFORM/libdwell-calls.so", folder);
	ok(finds(&injection, INJECTION_CALLS | INJECTION_RECORD, NULL, NULL) && injection.calls &&
		   !injection.record,
	   "the one that counts calls contains the recorder");
	injection_free(&injection);
	ok(finds(&injection, INJECTION_CALLS, &musl, "programs that use musl"),
	   "there is none for musl");
	mkdir("$PLATFORM", 0700);
	write_file("$PLATFORM", "libdwell-calls.so");
	ok(finds(&injection, INJECTION_CALLS, &musl, NULL) &&
		   strcmp(injection.calls, expected) == 0,
	   "now there is, by the same name");
	injection_free(&injection);
	ok(finds(&injection, INJECTION_CALLS, &other, "and this one is for pdp11"),
	   "that is for programs of our own machine");
	mkdir("a b", 0700);
	setenv("DWELL_LIBDIR", "a b", 1);
	snprintf(expected, sizeof(expected), "a b/%s", own);
	if (rename(own, expected))
		bail_out("nothing can be renamed here");
	ok(finds(&injection, INJECTION_CALLS, NULL, "the dynamic linker cannot load"),
	   "a name that the linker would take for two");
}

/* Checks that these parts are refused under such a limit. */
static void limited(int kind, rlim_t megabytes, unsigned parts, const char *words)
{
	struct rlimit before, limit;
	struct injection injection;

	getrlimit(kind, &before);
	limit = (struct rlimit){ megabytes << 20, before.rlim_max };
	setrlimit(kind, &limit);
	getrlimit(kind, &limit);
	if (!is_emulated() || limit.rlim_cur == megabytes << 20)
		ok(finds(&injection, parts, NULL, words), "%s", words);
	else
		skip(words, "the emulator ignores limits of memory, which would be its own");
	setrlimit(kind, &before);
}

/* The sanitizers reserve address space that no limit would leave them. */
static void limits(void)
{
	limited(RLIMIT_DATA, 31, INJECTION_CALLS,
		"data is 31 MB, but dwell needs 32 MB (ulimit -d)");
	limited(RLIMIT_DATA, 31, INJECTION_RECORD,
		"data is 31 MB, but dwell needs 32 MB (ulimit -d)");
	limited(RLIMIT_DATA, 63, INJECTION_CALLS | INJECTION_RECORD, "but dwell needs 64 MB");
#if !IS_SANITIZED
	limited(RLIMIT_AS, 511, INJECTION_CALLS, "address space is 511 MB, but dwell needs 512 MB");
	limited(RLIMIT_AS, 31, INJECTION_RECORD, "address space is 31 MB, but dwell needs 32 MB");
#endif
}

int main(void)
{
	char folder[] = "/tmp/dwell-injection.XXXXXX";

	if (!mkdtemp(folder))
		bail_out("there is no folder to test in");
	environment();
	one_in_another();
	limits();
	finding(folder);
	remove_all(folder);
	return tap_done();
}
