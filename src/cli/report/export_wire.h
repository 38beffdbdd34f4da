/* SPDX-License-Identifier: MIT
 *
 * export_wire.h - the option --wire, of verbs that write OTLP.
 */
#ifndef DWELL_CLI_REPORT_EXPORT_WIRE_H
#define DWELL_CLI_REPORT_EXPORT_WIRE_H

#include "output/export/export.h"

/* Returns 0, or the exit status after an error message on stderr. */
int export_wire_take(enum export_wire *wire, const char *verb, const char *value);

#endif
