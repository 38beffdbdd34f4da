/* SPDX-License-Identifier: MIT
 *
 * test_emulator.c - running a command by an emulator, and emulators that are refused.
 */
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/run/emulator.h"
#include "cli/run/target.h"
#include "tap.h"

/* The head of this program, by the linker. */
extern const ElfW(Ehdr) __ehdr_start;

/* Writes the head of a program for this CPU or another, which names no dynamic linker. */
static void write_program(const char *path, uint16_t machine)
{
	ElfW(Ehdr) head = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_EXEC,
			    .e_machine = machine,
			    .e_version = EV_CURRENT,
			    .e_ehsize = sizeof(head),
			    .e_phentsize = sizeof(ElfW(Phdr)) };
	FILE *file = fopen(path, "w");

	if (!file || fwrite(&head, sizeof(head), 1, file) != 1 || fclose(file) || chmod(path, 0700))
		bail_out("no file can be written here");
}

static bool is(char *const *words, const char *const *expected)
{
	while (*words && *expected && strcmp(*words, *expected) == 0) {
		words++;
		expected++;
	}
	return !*words && !*expected;
}

static void refuses(const char *line, const char *words)
{
	char *command[] = { (char *)"program", NULL };
	struct emulator emulator;
	struct err err = { "" };

	if (!ok(emulator_open(&emulator, line, command[0], command, &err) < 0 &&
			strstr(err.text, words) && !emulator.path,
		"'%s': %s", line, words))
		note("%s", err.text);
}

static void command_line(void)
{
	const char *const expected[] = { "./static", "-L",        "/there", "/bin/program",
					 "one",      "two words", NULL };
	char *command[] = { (char *)"program", (char *)"one", (char *)"two words", NULL };
	struct emulator emulator;
	struct err err = { "" };

	if (!ok(!emulator_open(&emulator, " ./static  -L /there ", (char *)"/bin/program", command,
			       &err) &&
			strcmp(emulator.path, "./static") == 0 && is(emulator.command, expected),
		"its own words come first, then the program's path and its arguments"))
		note("%s", err.text);
	emulator_close(&emulator);
}

int main(void)
{
	char folder[] = "/tmp/dwell-unit.XXXXXX";

	if (!mkdtemp(folder) || chdir(folder))
		bail_out("there is no folder to test in");
	write_program("static", __ehdr_start.e_machine);
	write_program("foreign", __ehdr_start.e_machine == EM_AARCH64 ? EM_X86_64 : EM_AARCH64);
	command_line();
	refuses("", "empty emulator command");
	refuses("  ", "empty emulator command");
	refuses("./none -x", "cannot run './none'");
	refuses("/proc/self/exe", "not statically linked");
	ok(!target_is_foreign("/proc/self/exe"), "a program of this machine needs none");
	ok(!target_is_foreign("none"), "nor does one that is not there");
	ok(!target_is_foreign("static") && target_is_foreign("foreign"),
	   "one for another CPU does");
	unlink("static");
	unlink("foreign");
	rmdir(folder);
	return tap_done();
}
