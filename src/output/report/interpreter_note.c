/* SPDX-License-Identifier: MIT */
#include "interpreter_note.h"

#include <inttypes.h>
#include <stddef.h>

#include "recording/format.h"

/* Languages whose functions have names, in the versions that this dwell supports. */
static const struct {
	uint32_t language;
	const char *name, *supported;
} languages[] = {
	{ RECORD_PYTHON, "Python", "Python 3.8 to 3.14" },
	{ RECORD_LUA, "Lua", "Lua 5.4.4" },
	{ RECORD_PHP, "PHP", "PHP 8.2 without thread safety, as gcc compiles it" },
	{ RECORD_RUBY, "Ruby", "Ruby 3.1" },
	{ RECORD_JAVA, "Java", "OpenJDK 17" },
	{ RECORD_PERL, "Perl", "Perl 5.36 with threads" },
};

void interpreter_note_write(uint32_t language, uint32_t version, FILE *out)
{
	uint32_t major = version / 100, minor = version % 100;

	if (language == RECORD_PYTHON) {
		major = version >> 24;
		minor = version >> 16 & 0xff;
	}
	for (size_t i = 0; i < sizeof(languages) / sizeof(languages[0]); i++)
		if (languages[i].language == language) {
			fprintf(out, "%s functions have no names: this dwell supports %s, not ",
				languages[i].name, languages[i].supported);
			if (version)
				fprintf(out, "%" PRIu32 ".%" PRIu32 ", or this build of it\n",
					major, minor);
			else
				fputs("this version or build\n", out);
		}
}
