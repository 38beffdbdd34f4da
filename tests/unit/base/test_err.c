/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/err.h"
#include "tap.h"

int main(void)
{
	struct err err;
	char path[5000];

	ok(err_set(&err, ENOENT, "cannot open '%s': %d", "x", 7) == -ENOENT,
	   "the answer is -errno");
	ok(strcmp(err.text, "cannot open 'x': 7") == 0, "and the sentence is kept");
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	err_set(&err, EINVAL, "'%s' is bad", path);
	ok(strlen(err.text) == sizeof(err.text) - 1 &&
		   strcmp(err.text + sizeof(err.text) - 6, "pp...") == 0,
	   "a sentence that is too long is cut, and shows it");
	ok(err_no_memory(&err) == -ENOMEM && err.text[0], "want of memory has a sentence as well");
	return tap_done();
}
