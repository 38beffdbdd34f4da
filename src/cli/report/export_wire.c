/* SPDX-License-Identifier: MIT */
#include "export_wire.h"

#include <string.h>

#include "cli/cmd.h"

int export_wire_take(enum export_wire *wire, const char *verb, const char *value)
{
	if (strcmp(value, "1.10") == 0)
		*wire = EXPORT_WIRE_1_10;
	else if (strcmp(value, "1.9") == 0)
		*wire = EXPORT_WIRE_1_9;
	else
		return cmd_fail(verb, "unknown --wire value '%s' (expected 1.10 or 1.9)", value);
	return 0;
}
