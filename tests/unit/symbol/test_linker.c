/* SPDX-License-Identifier: MIT
 *
 * test_linker.c - the parts read from the linker's output, and the errors for a linker that does
 * not work.
 */
#include <string.h>

#include "symbol/linker.c"

#include "emulated.h"
#include "tap.h"

static void lines(void)
{
	static const char *const said[] = {
		"\tlinux-vdso.so.1 (0x00007f1b3c473000)",
		"\tlibz.so.1 => /lib/with a (0xpath)/libz.so.1 (0x00007f1b3c426000)",
		"\tlibq.so.1 => not found",
		"\t/lib64/ld-linux-x86-64.so.2 (0x00007f1b3c475000)",
		"./app: /lib/libc.so.6: version `GLIBC_9' not found (required by ./app)",
		"\tstatically linked",
		"\t",
		"",
	};
	struct linker_result answer = { 0 };

	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		if (take_line(&answer, said[i]))
			bail_out("out of memory");
	ok(answer.loaded_count == 2 &&
		   !strcmp(answer.loaded[0], "/lib/with a (0xpath)/libz.so.1") &&
		   !strcmp(answer.loaded[1], "/lib64/ld-linux-x86-64.so.2"),
	   "libraries that have a file, in order");
	ok(answer.missing_count == 1 && !strcmp(answer.missing[0], "libq.so.1"),
	   "and those that are missing");
	linker_free(&answer);
}

static void fails(const char *interp, const char *words, const char *what)
{
	struct linker_result answer = { 0 };
	struct err err = { "" };
	int status = linker_ask(&answer, interp, "/no/such/file", &err);

	if (!ok(status < 0 && strstr(err.text, words), "%s", what))
		note("%d: %s", status, err.text);
	linker_free(&answer);
}

int main(void)
{
	lines();
	if (is_emulated())
		skip("a linker that is not there is named", NO_VFORK);
	else
		fails("/no/such/linker", "cannot run", "a linker that is not there is named");
	fails("/bin/false", "gave no reason", "one that fails without a message is reported");
	fails("/bin/cat", "unrecognized option", "one that complains is quoted");
	return tap_done();
}
