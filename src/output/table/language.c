/* SPDX-License-Identifier: MIT */
#include "language.h"

#include <stddef.h>

#include "recording/format.h"
#include "recording/format_script.h"

static const struct language languages[] = {
	[RECORD_PYTHON] = { "Python", "cpython", "green", TINT_GREEN },
	[RECORD_PHP] = { "PHP", "php", "purple", TINT_MAGENTA },
	[RECORD_LUA] = { "Lua", "lua", "blue", TINT_BLUE },
	[RECORD_RUBY] = { "Ruby", "ruby", "magenta", TINT_YELLOW },
	[RECORD_JAVA] = { "Java", "jvm", "orange", TINT_YELLOW },
	[RECORD_PERL] = { "Perl", "perl", "lightblue", TINT_CYAN },
};

const struct language *language_at(uint32_t number)
{
	return number && number < sizeof(languages) / sizeof(languages[0]) ? &languages[number]
									   : NULL;
}

const struct language *language_of(const struct function *function)
{
	const struct language *language =
		function->is_script ? language_at(function->language) : NULL;

	return language && language->name ? language : NULL;
}
