/* SPDX-License-Identifier: MIT */
#include "clock.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

const struct clock *const clocks[] = { &clock_perf, &clock_timer, &clock_itimer, NULL };

const struct clock *clock_open(const char *name, uint64_t tick_ns, struct clock_refusal *refusal)
{
	for (const struct clock *const *c = clocks; *c; c++)
		if ((!name || strcmp(name, (*c)->name) == 0) && (*c)->open(tick_ns, refusal))
			return *c;
	return NULL;
}
