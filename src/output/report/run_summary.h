/* SPDX-License-Identifier: MIT
 *
 * run_summary.h - summarises a run, independent of what was recorded, and formats such lines.
 */
#ifndef DWELL_OUTPUT_REPORT_RUN_SUMMARY_H
#define DWELL_OUTPUT_REPORT_RUN_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

#include "recording/read/timescale.h"
#include "output/table/table.h"
#include "recording/read/reader.h"

/* Returns the time from the start of the command to its exit; 0: it was still running. */
uint64_t run_summary_wall_ns(const struct record_header *header);

/* Writes "ls -l: exit status 0, 1.00 ms, 2 processes, 3 threads". */
void run_summary_write(const struct reader *reader, uint64_t processes, uint64_t threads,
		       FILE *out);

/* Writes which parts of the recording are invalid or missing, if any. */
void run_summary_write_damage(const struct reader *reader, FILE *out);

/* Describes in text what a sandbox of the program kept from being recorded. Returns text, or NULL
 * if there is nothing. */
#define RUN_SUMMARY_SANDBOX_BYTES 256
const char *run_summary_sandbox(const struct record_header *header,
				char text[RUN_SUMMARY_SANDBOX_BYTES]);

/* Writes "1 thread" or "2 threads". */
void run_summary_number(uint64_t count, const char *one, const char *many, FILE *out);

/* Writes the line "what: 12", unless the count is 0. */
void run_summary_count(const char *what, uint64_t count, FILE *out);

/* Adds the command, its exit status, and the clock. Returns 0 or -ENOMEM. */
int run_summary_add_meta(struct table *table, const struct reader *reader,
			 const struct timescale *scale);

struct run_summary_pair {
	const char *name;
	uint64_t value;
};

/* Returns 0 or -ENOMEM. */
int run_summary_add_numbers(struct table *table, const struct run_summary_pair *numbers,
			    size_t count);

#endif
