/* SPDX-License-Identifier: MIT
 *
 * fast_clock.c - preloaded: each look at a clock finds that a second has passed, so that whatever
 * is done between two of them takes long.
 */
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now)
{
	static time_t seconds;

	(void)clock;
	*now = (struct timespec){ .tv_sec = ++seconds };
	return 0;
}
