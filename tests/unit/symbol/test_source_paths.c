/* SPDX-License-Identifier: MIT
 *
 * test_source_paths.c - paths as compilers leave them, and cleaned.
 */
#include <string.h>

#include "symbol/source_paths.h"
#include "tap.h"

int main(void)
{
	static const char *const pairs[][2] = {
		{ "/a/b/c.c", "/a/b/c.c" },
		{ "/a/./b//c.c", "/a/b/c.c" },
		{ "/a/build/../src/c.c", "/a/src/c.c" },
		{ "/a/b/../../c.c", "/c.c" },
		{ "/../c.c", "/../c.c" },
		{ "../c.c", "../c.c" },
		{ "../../x/../c.c", "../../c.c" },
		{ "./c.c", "c.c" },
		{ "x/..", "" },
		{ "c.c", "c.c" },
		{ "", "" },
		{ "/", "/" },
		{ "a/", "a" },
	};
	struct source_paths paths = { 0 };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const char *path = source_paths_find(&paths, NULL, pairs[i][0]);

		if (!ok(path && strcmp(path, pairs[i][1]) == 0, "'%s'", pairs[i][0]))
			note("is '%s'", path ? path : "(no memory)");
	}
	ok(source_paths_find(&paths, NULL, pairs[0][0]) ==
		   source_paths_find(&paths, NULL, pairs[1][0]),
	   "the same path is the same pointer");
	ok(source_paths_find(&paths, "/w/build", "../x.c") ==
			   source_paths_find(&paths, NULL, "/w/x.c") &&
		   source_paths_find(&paths, "/w/build", "/v/x.c") ==
			   source_paths_find(&paths, NULL, "/v/./x.c"),
	   "a relative one is so to where it was compiled");
	source_paths_free(&paths);
	return tap_done();
}
