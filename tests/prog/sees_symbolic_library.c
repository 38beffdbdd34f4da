/* SPDX-License-Identifier: MIT
 *
 * sees_symbolic_library.c - a library that is linked with -Bsymbolic-functions: it knows its own
 * functions without the linker, and finds them by their addresses.
 */
#include "sees.h"

int sees_signal_first(int a)
{
	return a + 1;
}

int sees_signal_second(int a)
{
	return a + 2;
}

int sees_signal_third(int a)
{
	return a + 3;
}

static volatile sees_function signals[] = { sees_signal_first, sees_signal_second };

int sees_signal_number(sees_function function)
{
	for (int i = 0; i < 2; i++)
		if (signals[i] == function)
			return i;
	return -1;
}
