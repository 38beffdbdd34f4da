/* SPDX-License-Identifier: MIT
 *
 * php_other.c - looks like an interpreter of PHP of an unknown version: its variables have other
 * sizes.
 */
#include "record_load.h"

char executor_globals[16], compiler_globals[16];

DEFINE_BURNER(execute_ex)

int main(void)
{
	execute_ex(0.1);
	return executor_globals[0] + compiler_globals[0];
}
