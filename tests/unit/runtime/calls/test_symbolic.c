/* SPDX-License-Identifier: MIT
 *
 * test_symbolic.c USUAL SYMBOLIC - libraries that bind to their own functions: USUAL,
 * sees_plugin.c, does so by the linker; SYMBOLIC, sees_symbolic_library.c, by itself.
 */
#include <dlfcn.h>

#include "tap.h"
#include "runtime/calls/symbolic.h"

static struct image opened(const char *path)
{
	void *handle = dlopen(path, RTLD_NOW);
	struct link_map *map;
	struct image image;

	if (!handle || dlinfo(handle, RTLD_DI_LINKMAP, &map))
		bail_out("there is no library to test with");
	image_read(&image, map, NULL);
	return image;
}

int main(int argc, char **argv)
{
	struct image usual, symbolic, empty;
	enum symbolic known = SYMBOLIC_UNKNOWN;

	if (argc != 3)
		bail_out("usage: test_symbolic USUAL SYMBOLIC");
	usual = opened(argv[1]);
	ok(!symbolic_has(&usual, &known), "a library that asks the linker for its functions");
	ok(known == SYMBOLIC_NO, "is remembered");
	known = SYMBOLIC_UNKNOWN;
	symbolic = opened(argv[2]);
	ok(symbolic_has(&symbolic, &known), "a library that stores their addresses by itself");
	ok(known == SYMBOLIC_YES, "is remembered");
	known = SYMBOLIC_NO;
	ok(!symbolic_has(&symbolic, &known), "a known result is not looked up again");
	known = SYMBOLIC_UNKNOWN;
	empty = (struct image){
		.map = symbolic.map, .start = symbolic.start, .end = symbolic.end, .soname = ""
	};
	ok(!symbolic_has(&empty, &known), "an object without tables");
	known = SYMBOLIC_UNKNOWN;
	symbolic.hash = NULL;
	ok(!symbolic_has(&symbolic, &known), "an object without a table of names");
	return tap_done();
}
