/* SPDX-License-Identifier: MIT
 *
 * awkward_plugin.c - a library whose constructor says that it waits, for a byte on stdin: see
 * awkward.c.
 */
#include <unistd.h>

__attribute__((constructor)) static void wait_for_byte(void)
{
	char byte;

	if (write(STDOUT_FILENO, "ready\n", 6) < 0 || read(STDIN_FILENO, &byte, 1) < 0)
		_exit(1);
}
