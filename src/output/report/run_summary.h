/* SPDX-License-Identifier: MIT
 *
 * run_summary.h - what is to be said of a run, whatever was recorded of it; and how such things are
 * said.
 */
#ifndef DWELL_OUTPUT_REPORT_RUN_SUMMARY_H
#define DWELL_OUTPUT_REPORT_RUN_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

#include "model/calls/timescale.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* From the start of the command to its end; 0: it had not ended. */
uint64_t run_summary_wall_ns(const struct record_header *header);

/* "ls -l: exit status 0, 1.00 ms, 2 processes, 3 threads". */
void run_summary_write(const struct reader *reader, uint64_t processes, uint64_t threads,
		       FILE *out);

/* What of the recording makes no sense or is missing in it, if anything. */
void run_summary_write_damage(const struct reader *reader, FILE *out);

/* Returns text, which says what a sandbox of the program kept from being recorded; NULL: nothing
 * was. */
#define RUN_SUMMARY_SANDBOX_BYTES 256
const char *run_summary_sandbox(const struct record_header *header,
				char text[RUN_SUMMARY_SANDBOX_BYTES]);

/* "1 thread", "2 threads". */
void run_summary_number(uint64_t count, const char *one, const char *many, FILE *out);

/* "What: 12", a line, if there is something to be said. */
void run_summary_count(const char *what, uint64_t count, FILE *out);

/* The command, how it ended, and the clock. 0 or -ENOMEM. */
int run_summary_add_meta(struct table *table, const struct reader *reader,
			 const struct timescale *scale);

struct run_summary_pair {
	const char *name;
	uint64_t value;
};

/* 0 or -ENOMEM. */
int run_summary_add_numbers(struct table *table, const struct run_summary_pair *numbers,
			    size_t count);

#endif
