/* SPDX-License-Identifier: MIT
 *
 * test_cgroup.c - which processes are in a cgroup, by directories that look like one, and how it is
 * called.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/cgroup.h"
#include "tap.h"

static char folder[] = "/tmp/dwell-cgroup.XXXXXX";

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		bail_out("no file to test with");
}

static void lists(void)
{
	pid_t *pids;
	size_t count;

	write_file("cgroup.procs", "11\n12\n0\n");
	mkdir("inner", 0700);
	write_file("inner/cgroup.procs", "13\n");
	mkdir("inner/empty", 0700);
	write_file("inner/empty/cgroup.procs", "");
	ok(cgroup_list(folder, &pids, &count) == 0 && count == 3 && pids[0] == 11 &&
		   pids[1] == 12 && pids[2] == 13,
	   "processes of a cgroup and of those below it, and none of other namespaces");
	free(pids);
	mkdir("gone", 0700);
	ok(cgroup_list(folder, &pids, &count) == 0 && count == 3,
	   "one below that is just being removed has none");
	free(pids);
	ok(cgroup_list("gone", &pids, &count) == -ENOENT && !pids && !count,
	   "one that was removed");
}

static void finds(void)
{
	struct err err;
	char *path;

	ok(cgroup_find(folder, &path, &err) == 0 && strcmp(path, folder) == 0,
	   "a cgroup by its directory");
	free(path);
	ok(cgroup_find("gone", &path, &err) && strstr(err.text, "no cgroup 'gone'"),
	   "not a directory that is none");
}

static void names(void)
{
	static const char text[] = "4:memory:/other/long/path/that/is/not/it\n"
				   "1:name=systemd:/\n"
				   "0::/slice/unit.service/inner\n";
	char cgroup[CGROUP_BYTES], longest[2 * CGROUP_BYTES];

	ok(cgroup_of(text, "/sys/fs/cgroup/unified/slice/unit.service", cgroup) &&
		   strcmp(cgroup, "/slice/unit.service/inner") == 0,
	   "a process has the path of the hierarchy that is recorded");
	ok(!cgroup_of(text, "/sys/fs/cgroup/unified/slice/unit", cgroup),
	   "not one that only begins like it");
	ok(!cgroup_of("", "/sys/fs/cgroup/x", cgroup) && !cgroup_of("0:", "/x", cgroup) &&
		   !cgroup_of("0::", "/x", cgroup) && !cgroup_of("\n\n:\n", "/x", cgroup),
	   "nor has one that has ended");
	memset(longest, 'x', sizeof(longest) - 1);
	memcpy(longest, "0::/x/", 6);
	longest[sizeof(longest) - 1] = '\0';
	ok(!cgroup_of(longest, "/sys/fs/cgroup/x", cgroup), "or a path that is too long");
}

static void containers(void)
{
#define NUMBER "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	char number[CGROUP_CONTAINER_DIGITS + 1];

	ok(cgroup_container("/docker/" NUMBER, number) && strcmp(number, "0123456789ab") == 0,
	   "the number of a container");
	ok(cgroup_container("/k.slice/cri-containerd-" NUMBER ".scope", number) &&
		   cgroup_container("/libpod-" NUMBER ".scope/inner", number),
	   "wherever it is in the path");
	ok(!cgroup_container("/docker/" NUMBER "0", number) &&
		   !cgroup_container("/system.slice/cafe.service", number) &&
		   !cgroup_container("/", number),
	   "others have none");
}

int main(void)
{
	if (!mkdtemp(folder) || chdir(folder))
		bail_out("there is no folder to test in");
	lists();
	finds();
	names();
	containers();
	for (const char *const *name =
		     (const char *const[]){ "inner/empty/cgroup.procs", "inner/cgroup.procs",
					    "cgroup.procs", "inner/empty", "inner", "gone", NULL };
	     *name; name++)
		remove(*name);
	rmdir(folder);
	return tap_done();
}
