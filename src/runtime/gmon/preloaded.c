/* SPDX-License-Identifier: MIT
 *
 * preloaded.c - the constructor and destructor of libprofil-gmon.so. A program linked with -pg
 * starts and stops counting by itself; this does it for libraries built with -pg in programs that
 * were not. If nothing was built with -pg, it does nothing.
 */
#include "gmon.h"
#include "importers.h"

__attribute__((constructor)) static void begin(void)
{
	if (importers_exist())
		gmon_start();
}

__attribute__((destructor)) static void end(void)
{
	gmon_finish();
}
