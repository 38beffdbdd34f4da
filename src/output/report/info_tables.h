/* SPDX-License-Identifier: MIT
 *
 * info_tables.h - tables of a run: processes, sampled threads, and objects.
 */
#ifndef DWELL_OUTPUT_REPORT_INFO_TABLES_H
#define DWELL_OUTPUT_REPORT_INFO_TABLES_H

#include "base/err.h"
#include "model/profile/objects.h"
#include "model/profile/profile.h"
#include "model/profile/profile_rows.h"
#include "output/table/table.h"

/* For people or for programs. On success, free each with table_fini(). */
int info_tables_processes(struct table *table, const struct reader *reader,
			  const struct profile_rows *by_process, bool human, struct err *err);
/* Labels of the runs. If there are several, they are numbered from 1 in the order of the recording,
 * as they are in the table of processes. */
int info_tables_labels(struct table *table, const struct reader *reader, struct err *err);
int info_tables_threads(struct table *table, const struct profile_rows *by_thread, bool human,
			struct err *err);
int info_tables_objects(struct table *table, const struct profile_objects *objects,
			const struct profile *profile, struct err *err);

#endif
