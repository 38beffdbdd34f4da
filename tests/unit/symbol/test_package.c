/* SPDX-License-Identifier: MIT */
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/package.h"
#include "tap.h"

static char folder[] = "/tmp/dwell-package-XXXXXX";

static void make_list(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		bail_out("there is no room for a file");
}

static void check_debug(const char *name, const char *expected)
{
	char text[PACKAGE_DEBUG_BYTES];

	ok(strcmp(package_debug(text, name), expected) == 0, "the symbols of %s are in %s", name,
	   expected);
}

/* Packages in apt's lists can be installed. */
static void offered(void)
{
	struct package_offer offers[] = { { .name = "libfoo1-dbgsym" },
					  { .name = "libfoo" },
					  { .name = "" },
					  { .name = "last-dbg" } };

	make_list("debug_main_binary-amd64_Packages",
		  "Package: libfoo1-dbgsym\nVersion: 1\nDepends: libfoo\n\nPackage: last-dbg");
	make_list("main_Sources", "Package: libfoo\n");
	package_offered(folder, offers, 4);
	ok(offers[0].is_known, "a package that apt knows");
	ok(!offers[1].is_known && !offers[2].is_known, "one that is only needed, and none");
	ok(offers[3].is_known, "the last line of a list");
	ok(!offers[0].is_unsure && !offers[1].is_unsure && !offers[2].is_unsure,
	   "all of that is certain");
	make_list("other_main_binary-amd64_Packages.lz4", "not text");
	package_offered(folder, offers, 4);
	ok(offers[0].is_known && !offers[0].is_unsure, "a compressed list is not read");
	ok(!offers[1].is_known && offers[1].is_unsure, "so it may have what others do not have");
	ok(!offers[2].is_unsure, "which is nothing to one without a name");
	package_offered("/nonexistent", offers, 4);
	ok(!offers[0].is_known && offers[0].is_unsure, "where there is no apt, nothing is known");
}

/* Returns true if lists are read for these offers. */
static bool reads_lists(int watch, struct package_offer *offers, size_t count)
{
	char events[4096];
	bool has_read;

	package_offered(folder, offers, count);
	has_read = read(watch, events, sizeof(events)) > 0;
	while (read(watch, events, sizeof(events)) > 0)
		;
	return has_read;
}

/* Lists are large: most reports have nothing to look up in them. */
static void unread(void)
{
	struct package_offer nothing[] = { { .name = "" }, { .name = "" } };
	struct package_offer something[] = { { .name = "" }, { .name = "last-dbg" } };
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	if (watch < 0 || inotify_add_watch(watch, folder, IN_ACCESS) < 0) {
		skip("lists that are not read", "there is no inotify");
	} else {
		ok(reads_lists(watch, something, 2), "lists are read for a package");
		ok(!reads_lists(watch, nothing, 2),
		   "no list is read where no package is asked about");
	}
	close(watch);
}

int main(void)
{
	struct package_query queries[] = {
		{ .path = "/usr/lib/x86_64-linux-gnu/libfoo.so.1.2" },
		{ .path = "/usr/bin/foo3.11" },
		{ .path = "/usr/lib/x86_64-linux-gnu/libfoo.so.1", .name = "old" },
		{ .path = "/home/me/foo" },
		{ .path = "/opt/last" },
	};
	char command[256];

	if (!mkdtemp(folder))
		bail_out("there is no /tmp");
	make_list("libfoo1:amd64.list", "/.\n/lib\n/lib/x86_64-linux-gnu\n"
					"/lib/x86_64-linux-gnu/libfoo.so.1.2\n");
	make_list("foo3.11-minimal.list", "/.\n/usr/bin\n/usr/bin/foo3.11\n");
	make_list("last.list", "/opt/last");
	make_list("foo.md5sums", "/home/me/foo\n");
	package_find(folder, queries, 5);
	ok(strcmp(queries[0].name, "libfoo1") == 0, "a library that is known by /lib");
	ok(strcmp(queries[1].name, "foo3.11-minimal") == 0,
	   "a package with a full stop in its name");
	ok(strcmp(queries[2].name, "") == 0, "part of a path is another file");
	ok(strcmp(queries[3].name, "") == 0, "one that is of no package");
	ok(strcmp(queries[4].name, "last") == 0, "a line that does not end");
	package_find("/nonexistent", queries, 5);
	ok(strcmp(queries[0].name, "") == 0, "where there is no dpkg, nothing is known");
	check_debug("libsqlite3-0", "libsqlite3-0-dbgsym");
	check_debug("libc6", "libc6-dbg");
	check_debug("libc6-i386", "libc6-i386-dbgsym");
	check_debug("python3.11-minimal", "python3.11-dbg");
	check_debug("libpython3.11-stdlib", "python3.11-dbg");
	check_debug("python3-numpy", "python3-numpy-dbgsym");
	offered();
	unread();
	snprintf(command, sizeof(command), "rm -r %s", folder);
	if (system(command))
		note("%s is left", folder);
	return tap_done();
}
