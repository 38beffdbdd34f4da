/* SPDX-License-Identifier: MIT
 *
 * rate SECONDS - one busy thread: is the rate held, and is the total right?
 */
#include "figures.h"

int main(int argc, char **argv)
{
	struct profil_clock_info info;

	count_everything();
	burn(argc > 1 ? atof(argv[1]) : 2);
	profil_clock_info(&info);
	printf("%-10s asked %5.0f Hz, interrupted at %5.0f Hz; ticks due %6.0f, counted %6llu\n",
	       clock_in_use(), info.asked_hz, info.achieved_hz, info.cpu_seconds * info.asked_hz,
	       info.samples);
	count_nothing();
	return 0;
}
