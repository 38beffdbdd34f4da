/* SPDX-License-Identifier: MIT
 *
 * importers.h - finds loaded objects that were built with -pg.
 */
#ifndef DWELL_RUNTIME_GMON_IMPORTERS_H
#define DWELL_RUNTIME_GMON_IMPORTERS_H

#include <stdbool.h>

/* Returns whether any object calls mcount() or its like. Not in signal handlers. */
bool importers_exist(void);

#endif
