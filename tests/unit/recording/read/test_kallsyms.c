/* SPDX-License-Identifier: MIT
 *
 * test_kallsyms.c - lists of the kernel's functions: as the kernel writes them, for users who may
 * not know them, and malformed ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recording/read/kallsyms.h"
#include "tap.h"

static char path[] = "/tmp/dwell-kallsyms.XXXXXX";

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		bail_out("no file to test with");
}

static bool is_at(const struct kallsyms *kallsyms, uint64_t address, const char *name,
		  const char *module, uint64_t ends)
{
	uint64_t end = 0;
	const struct kallsyms_function *found = kallsyms_find(kallsyms, address, &end);

	return found && strcmp(found->name, name) == 0 && end == ends &&
	       (module ? found->module && strcmp(found->module, module) == 0 : !found->module);
}

static void usual(void)
{
	struct kallsyms kallsyms;
	uint64_t end;

	write_file("0000000000001000 A fixed\n"
		   "ffffffff81000200 t second\n"
		   "ffffffff81000000 T first\n"
		   "ffffffff81000000 T also_first\n"
		   "ffffffff81000300 D data\n"
		   "ffffffff81000400 W third\n"
		   "ffffffffc0000000 t inside\t[ext4]\n");
	ok(kallsyms_read(&kallsyms, path) == 0 && kallsyms.count == 5 &&
		   kallsyms_has_addresses(path),
	   "functions are read, and not data");
	ok(is_at(&kallsyms, 0xffffffff81000200, "second", NULL, 0xffffffff81000400) &&
		   is_at(&kallsyms, 0xffffffff810003ff, "second", NULL, 0xffffffff81000400),
	   "a function reaches to the next one");
	ok(is_at(&kallsyms, 0xffffffffc0000010, "inside", "[ext4]", UINT64_MAX),
	   "a function of a module, and the last one");
	ok(kallsyms_find(&kallsyms, 0xffffffff81000000, &end) && end == 0xffffffff81000200,
	   "two names of one place are one function");
	ok(!kallsyms_find(&kallsyms, 0xffffffff80ffffff, &end), "there is none before the first");
	kallsyms_free(&kallsyms);
}

static void unusual(void)
{
	struct kallsyms kallsyms;

	write_file("0000000000000000 T first\n0000000000000000 t second\n");
	ok(kallsyms_read(&kallsyms, path) == -ENODATA && !kallsyms_has_addresses(path),
	   "addresses of 0 are none");
	write_file("");
	ok(kallsyms_read(&kallsyms, path) == -ENODATA && !kallsyms_has_addresses(path),
	   "an empty list");
	write_file("\n \nffff\nffff T\nffff T \nffff  \nzz T name\nffff T ok\nffff TT no\n"
		   "fffe t name\tmodule\n");
	ok(kallsyms_read(&kallsyms, path) == 0 && kallsyms.count == 2 &&
		   is_at(&kallsyms, 0xffff, "ok", NULL, UINT64_MAX) &&
		   is_at(&kallsyms, 0xfffe, "name", NULL, 0xffff),
	   "lines that are no functions are left out");
	kallsyms_free(&kallsyms);
	ok(kallsyms_read(&kallsyms, "/nothing") == -ENOENT && !kallsyms_has_addresses("/nothing"),
	   "no list");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		bail_out("no file to test with");
	close(fd);
	usual();
	unusual();
	unlink(path);
	return tap_done();
}
