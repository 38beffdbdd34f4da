/* SPDX-License-Identifier: MIT */
#include "base/pairs.h"

#include <errno.h>
#include <string.h>

#include "tap.h"

/* Returns all pairs of a text as "key>value;", and what ended them. */
static const char *all(const char *text)
{
	static char found[256];
	char *copy = strdup(text), *at = copy;
	struct pair pair;
	int more;

	*found = '\0';
	while ((more = pairs_next(&at, &pair)) > 0)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s>%s;", pair.key,
			 pair.value);
	if (more == -EINVAL)
		strcat(found, "invalid");
	free(copy);
	return found;
}

int main(void)
{
	ok(strcmp(all("a=1,b=2"), "a>1;b>2;") == 0, "pairs in their order");
	ok(strcmp(all(" a = 1 ,, b=,"), "a>1;b>;") == 0, "blanks and empty pairs do not count");
	ok(strcmp(all("a=x%2Cy%3dz%0a"), "a>x,y=z\n;") == 0, "special characters are escaped");
	ok(strcmp(all("a=b=c"), "a>b=c;") == 0, "a value may contain an equals sign");
	ok(strcmp(all(""), "") == 0, "no text has no pairs");
	ok(strcmp(all("a=1,b"), "a>1;invalid") == 0, "a pair has an equals sign");
	ok(strcmp(all("a=%"), "invalid") == 0 && strcmp(all("a=%4"), "invalid") == 0 &&
		   strcmp(all("a=%4g"), "invalid") == 0,
	   "a percent sign begins two digits");
	ok(strcmp(all("a=1%002"), "invalid") == 0, "no value contains a zero byte");
	return tap_done();
}
