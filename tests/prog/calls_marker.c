/* SPDX-License-Identifier: MIT
 *
 * calls_marker.c - leaves a file behind: so one sees whether it was run at all.
 */
#include <fcntl.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	if (argc < 2 || open(argv[1], O_WRONLY | O_CREAT, 0600) < 0)
		return 1;
	puts("has run");
	return 0;
}
