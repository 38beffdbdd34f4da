/* SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/target.h"
#include "tap.h"

static void write_file(const char *path, const char *text, mode_t mode)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file) || chmod(path, mode))
		bail_out("no file can be written here");
}

static void finds(const char *name, const char *expected)
{
	struct err err = { "" };
	char *path = NULL;
	int status = target_find(name, &path, &err);

	if (!ok(!status && strcmp(path, expected) == 0, "'%s' is %s", name, expected))
		note("%s %s", path, err.text);
	free(path);
}

static void finds_not(const char *name, const char *words)
{
	struct err err = { "" };
	char *path = NULL;
	int status = target_find(name, &path, &err);

	if (!ok(status < 0 && !path && strstr(err.text, words), "'%s': %s", name, words))
		note("%s", err.text);
	free(path);
}

static void refuses(const char *path, const char *words)
{
	struct elf_program program;
	struct err err = { "" };
	int status = target_check(path, false, &program, &err);

	if (!ok(status < 0 && strstr(err.text, words), "%s: %s", path, words))
		note("%d %s", status, err.text);
}

static void accepts(const char *path, const char *what)
{
	struct elf_program program;
	struct err err = { "" };

	if (!ok(target_check(path, false, &program, &err) == 0, "%s", what))
		note("%s", err.text);
}

static void finding(void)
{
	setenv("PATH", "/no/such:one:two:", 1);
	mkdir("one", 0700);
	mkdir("two", 0700);
	mkdir("one/tool", 0700);
	write_file("one/locked", "", 0600);
	write_file("two/tool", "", 0700);
	write_file("here", "", 0700);
	finds("tool", "two/tool");
	finds("here", "./here");
	finds("./two/tool", "./two/tool");
	finds_not("nothing", "command 'nothing' not found in PATH");
	finds_not("locked", "cannot run the 'locked' in PATH: Permission denied");
	finds_not("one/locked", "cannot run 'one/locked': Permission denied");
	finds_not("./one", "cannot run './one': Is a directory");
	finds_not("/no/such/file", "cannot run '/no/such/file': No such file");
	finds_not("", "empty COMMAND");
}

/* root may search all folders, so another user does. */
static void shut_folder(void)
{
	bool is_root = geteuid() == 0;

	mkdir("shut", 0);
	setenv("PATH", "shut", 1);
	if (is_root && setresuid(65534, 65534, 0))
		bail_out("setresuid");
	finds_not("nothing", "command 'nothing' not found in PATH");
	if (is_root && setresuid(0, 0, 0))
		bail_out("setresuid");
}

/* The path of this program: an emulator opens /proc/self/exe only once. */
static char own_path[PATH_MAX];

/* Writes a script whose first line has our own path after `before` and in front of `after`. */
static void write_own_script(const char *path, const char *before, const char *after)
{
	char line[PATH_MAX + 32];

	snprintf(line, sizeof(line), "%s%s%s\n", before, own_path, after);
	write_file(path, line, 0700);
}

static void scripts(void)
{
	write_own_script("script", "#!", "");
	accepts("script", "a script that is run by a program");
	write_own_script("spaced", "#! \t", " -x y");
	accepts("spaced", "with an argument");
	write_file("nested", "#!script", 0700);
	accepts("nested", "a script that is run by a script");
	write_file("endless", "#!endless\n", 0700);
	refuses("endless", "too many levels of interpreters");
	write_file("orphan", "#!/no/such/interpreter\n", 0700);
	refuses("orphan", "cannot run '/no/such/interpreter'");
	write_file("bare", "#!\n", 0700);
	refuses("bare", "neither an ELF file nor a script");
	write_file("text", "echo hello\n", 0700);
	refuses("text", "neither an ELF file nor a script");
	write_file("empty", "", 0700);
	refuses("empty", "neither an ELF file nor a script");
}

/* A copy of ourselves with one byte changed. */
static void write_copy(const char *path, size_t at, int change, size_t size)
{
	static char bytes[1 << 16];
	int from = open(own_path, O_RDONLY | O_CLOEXEC);
	int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	ssize_t length = read(from, bytes, sizeof(bytes));

	if (from < 0 || to < 0 || length < 64)
		bail_out("no program can be copied here");
	bytes[at] = (char)(bytes[at] ^ change);
	if ((size_t)length > size)
		length = (ssize_t)size;
	if (write(to, bytes, (size_t)length) != length)
		bail_out("no program can be copied here");
	close(from);
	close(to);
}

static int own_segments(void)
{
	return (int)getauxval(AT_PHNUM);
}

static void programs(void)
{
	accepts(own_path, "a program of our own kind");
	write_copy("class", 4, 3, SIZE_MAX);
	refuses("class", "is for another CPU than this dwell");
	write_copy("machine", 18, 1, SIZE_MAX);
	refuses("machine", "is for another CPU than this dwell");
	write_copy("object", 16, 0xff, SIZE_MAX);
	refuses("object", "is not a program");
	write_copy("half", 0, 0, 80);
	refuses("half", "is damaged or truncated");
	/* e_phnum: a program without segments names no interpreter. */
	write_copy("static", offsetof(ElfW(Ehdr), e_phnum), own_segments(), SIZE_MAX);
	refuses("static", "is statically linked");
	write_copy("setuid", 0, 0, SIZE_MAX);
	if (chown("setuid", 65534, (gid_t)-1) || chmod("setuid", 04755))
		skip("a program with another user's rights", "only root can make one");
	else if (access("setuid", X_OK) == 0)
		refuses("setuid", "is setuid, setgid or has capabilities");
	write_copy("unreadable", 0, 0, SIZE_MAX);
	chmod("unreadable", 0100);
	accepts("unreadable", "one that may be run and not be read");
}

static const char *const made[] = { "one/locked", "one/tool", "two/tool", "one",    "two",
				    "here",       "script",   "spaced",   "nested", "endless",
				    "orphan",     "bare",     "text",     "empty",  "class",
				    "machine",    "object",   "half",     "static", "setuid",
				    "unreadable" };

int main(void)
{
	char folder[] = "/tmp/dwell-target.XXXXXX";

	if (!realpath("/proc/self/exe", own_path) || !mkdtemp(folder) || chdir(folder))
		bail_out("there is no folder to test in");
	finding();
	shut_folder();
	scripts();
	programs();
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++)
		if (remove(made[i]))
			note("%s is left", made[i]);
	rmdir(folder);
	return tap_done();
}
