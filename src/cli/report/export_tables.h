/* SPDX-License-Identifier: MIT
 *
 * export_tables.h - the formats of `dwell export` that are those of `dwell report`.
 */
#ifndef DWELL_CLI_REPORT_EXPORT_TABLES_H
#define DWELL_CLI_REPORT_EXPORT_TABLES_H

#include "output/export/export.h"

export_write export_table_json, export_table_csv;

#endif
