/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <profil.h>
#include <stdlib.h>
#include <string.h>

#include "base/decimal.h"
#include "base/limits.h"

/*
 * Returns the value of a variable. An empty one counts as not set, as does any in a program with
 * more rights than its user.
 */
static const char *variable(const char *name)
{
	const char *value = secure_getenv(name);

	return value && *value ? value : NULL;
}

struct sampler_setting config_read(void)
{
	const char *hz_text = variable("PROFIL_HZ");
	uint64_t hz = 100;

	if (hz_text && !decimal_parse(hz_text, LIMIT_HZ, &hz))
		hz = 0;
	return (struct sampler_setting){
		.hz = (uint32_t)hz,
		.clock = variable("PROFIL_CLOCK"),
		.hz_refusal = "invalid PROFIL_HZ: must be a number from 1 to 20000",
		.clock_refusal = "unknown PROFIL_CLOCK (expected perf, timer or itimer)",
	};
}

int config_dialect(void)
{
	static const struct {
		const char *name;
		int dialect;
	} dialects[] = { { "linux", PROFIL_LINUX },
			 { "bsd", PROFIL_BSD },
			 { "solaris", PROFIL_SOLARIS } };
	const char *name = variable("PROFIL_DIALECT");

	if (!name)
		return PROFIL_LINUX;
	for (size_t i = 0; i < sizeof(dialects) / sizeof(dialects[0]); i++)
		if (strcmp(name, dialects[i].name) == 0)
			return dialects[i].dialect;
	return 0;
}
