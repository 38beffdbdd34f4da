/* SPDX-License-Identifier: MIT
 *
 * trace_auditor.c - an auditor that a user has: tells TRACE_AUDIT of each program.
 */
#include <link.h>

#include "trace.h"

unsigned int la_version(unsigned int version)
{
	trace_leave("TRACE_AUDIT");
	return version;
}
