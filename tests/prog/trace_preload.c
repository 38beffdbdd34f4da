/* SPDX-License-Identifier: MIT
 *
 * trace_preload.c - a library that a user has preloaded: tells TRACE_PRELOAD of each program.
 */
#include "trace.h"

__attribute__((constructor)) static void loaded(void)
{
	trace_leave("TRACE_PRELOAD");
}
