/* SPDX-License-Identifier: MIT
 *
 * record_regions_plugin.c - a library that is opened at run time, and uses dwell.h.
 */
#include <dwell.h>

void plugin_enter(const char *name);
void plugin_leave(const char *name);

void plugin_enter(const char *name)
{
	dwell_region_begin(name);
}

void plugin_leave(const char *name)
{
	dwell_region_end(name);
}
