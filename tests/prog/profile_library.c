/* SPDX-License-Identifier: MIT
 *
 * profile_library.c - functions whose names are to be found, however they are hidden.
 */
#include <string.h>

int alpha(int n);
int beta(int n);
int gamma_(int n);
int delta(int n);

/* Not exported, so only .symtab knows it. */
static __attribute__((noinline)) int hidden(int n)
{
	volatile int sum = n;

	for (int i = 0; i < 100; i++)
		sum += i;
	return sum;
}

int alpha(int n)
{
	return hidden(n) + 1;
}

int beta(int n)
{
	return alpha(n) * hidden(n + 1);
}

int gamma_(int n)
{
	char text[64];

	memset(text, n, sizeof(text));
	return text[n & 63] + beta(n);
}

int delta(int n)
{
	return gamma_(n) ^ hidden(n) ^ (int)strlen((const char *)&n);
}
