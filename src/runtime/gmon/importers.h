/* SPDX-License-Identifier: MIT
 *
 * importers.h - which of what is loaded was built with -pg.
 */
#ifndef DWELL_RUNTIME_GMON_IMPORTERS_H
#define DWELL_RUNTIME_GMON_IMPORTERS_H

#include <stdbool.h>

/* Whether any object calls mcount() or its like. Not in signal handlers. */
bool importers_exist(void);

#endif
