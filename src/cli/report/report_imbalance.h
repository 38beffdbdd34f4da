/* SPDX-License-Identifier: MIT
 *
 * report_imbalance.h - `dwell report --imbalance`: how uneven functions are among ranks, hosts or
 * other groups of processes.
 */
#ifndef DWELL_CLI_REPORT_REPORT_IMBALANCE_H
#define DWELL_CLI_REPORT_REPORT_IMBALANCE_H

#include "report.h"

/* Writes to stdout, through a pager if that is a terminal. The options contain a label. */
int report_imbalance_write(const struct reader *reader, const struct report_options *options,
			   FILE *out, struct err *err);

#endif
