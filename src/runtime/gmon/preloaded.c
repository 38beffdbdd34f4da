/* SPDX-License-Identifier: MIT
 *
 * preloaded.c - the constructor and destructor of libprofil-gmon.so. A program that was linked with
 * -pg starts and ends counting by itself; here it is done for libraries that were built so and are
 * loaded by one that was not. Where nothing was built with -pg, nothing is done.
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
