/* SPDX-License-Identifier: MIT
 *
 * diff_load.c SECONDS SECONDS CALLS - uses so much CPU time in a function that is always the same,
 * and so much in one that may change from run to run, both in turn; and calls a function of libc so
 * many times. It goes by the CPU's clock, so that a slow machine does not look like a change.
 */
#include <stdlib.h>

#include "record_load.h"

/* Another build has its functions elsewhere. */
#ifdef OTHER_BUILD
DEFINE_BURNER(only_here)
#endif
DEFINE_BURNER(steady_work)
DEFINE_BURNER(changed_work)

#define TURNS 20

int main(int argc, char **argv)
{
	double steady, changed;

	if (argc != 4)
		return 2;
	steady = atof(argv[1]);
	changed = atof(argv[2]);
	for (int i = 0; i < TURNS; i++) {
		steady_work(steady / TURNS);
		changed_work(changed / TURNS);
	}
	for (long i = atol(argv[3]); i > 0; i--)
		random();
#ifdef OTHER_BUILD
	only_here(0);
#endif
	say_cpu();
	return 0;
}
