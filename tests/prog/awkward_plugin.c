/* SPDX-License-Identifier: MIT
 *
 * awkward_plugin.c - a library whose constructor waits for a byte on stdin: see awkward.c.
 */
#include <unistd.h>

__attribute__((constructor)) static void wait_for_byte(void)
{
	char byte;

	if (read(STDIN_FILENO, &byte, 1) < 0)
		_exit(1);
}
