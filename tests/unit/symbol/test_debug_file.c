/* SPDX-License-Identifier: MIT
 *
 * test_debug_file.c LIBRARY - the search for the shared debug file that dwz makes. Any file with a
 * build-id serves as one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbol/debug_file.h"
#include "tap.h"

static char folder[] = "/tmp/test_debug_file.XXXXXX";
static struct build_id id;

/* Valid until the next call. */
static const char *path_of(const char *name)
{
	static char path[512];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void copy(const char *from, const char *name)
{
	char command[2048];

	snprintf(command, sizeof(command), "mkdir -p $(dirname %s) && cp %s %s", path_of(name),
		 from, path_of(name));
	if (system(command))
		bail_out("a file cannot be copied");
}

static void read_id(const char *library)
{
	int fd = open(library, O_RDONLY | O_CLOEXEC);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	id = build_id_of(elf);
	elf_end(elf);
	close(fd);
	if (id.size < 2)
		bail_out("the library has no build-id");
}

/* Returns whether the expected file is found; "": none. */
static bool finds(const char *name, const struct build_id *wanted, const char *expected)
{
	char path[512], debug[512], *found = NULL;
	bool is_right;
	int fd;

	snprintf(path, sizeof(path), "%s", path_of("files/libx.debug"));
	snprintf(debug, sizeof(debug), "%s", path_of("debug"));
	fd = debug_file_open_common(name, wanted, path, debug, &found);
	if (fd < 0)
		return !*expected && fd == -ENOENT;
	is_right = *expected && strcmp(found, path_of(expected)) == 0;
	if (!is_right)
		note("%s is found", found);
	close(fd);
	free(found);
	return is_right;
}

static void folders(void)
{
	unsetenv("DWELL_DEBUGDIR");
	ok(strcmp(debug_file_folder(), "/usr/lib/debug") == 0, "distributions have one folder");
	setenv("DWELL_DEBUGDIR", "", 1);
	ok(strcmp(debug_file_folder(), "/usr/lib/debug") == 0, "an empty name does not count");
	setenv("DWELL_DEBUGDIR", folder, 1);
	ok(strcmp(debug_file_folder(), folder) == 0, "DWELL_DEBUGDIR names another");
}

int main(int argc, char **argv)
{
	struct build_id other;
	char text[BUILD_ID_TEXT], named[512], command[256];

	if (argc != 2 || !mkdtemp(folder))
		bail_out("test_debug_file LIBRARY");
	folders();
	read_id(argv[1]);
	other = id;
	other.bytes[0] ^= 1;
	ok(finds("common.debug", &id, ""), "one that is nowhere is not found");
	copy(argv[1], "files/common.debug");
	ok(finds("common.debug", &id, "files/common.debug"), "beside the debug file");
	ok(finds("common.debug", &other, ""), "not if it has another build-id");
	copy(argv[1], "shared/common.debug");
	ok(finds("../shared/common.debug", &id, "files/../shared/common.debug"),
	   "by a path from there");
	snprintf(named, sizeof(named), "%s", path_of("shared/common.debug"));
	ok(finds(named, &id, "shared/common.debug"), "by a whole path");
	build_id_print(text, &id);
	snprintf(named, sizeof(named), "debug/.build-id/%.2s/%s.debug", text, text + 2);
	copy(argv[1], named);
	ok(finds("common.debug", &id, named),
	   "by its build-id in the folder of all, before others");
	copy("/dev/null", named);
	ok(finds("common.debug", &id, "files/common.debug"),
	   "unless what is there is something else");
	id.size = 0;
	ok(finds("common.debug", &id, ""), "without a build-id it cannot be known");
	snprintf(command, sizeof(command), "rm -r %s", folder);
	return system(command) ? 1 : tap_done();
}
