/* SPDX-License-Identifier: MIT
 *
 * export_common.h - what several formats need.
 */
#ifndef DWELL_OUTPUT_EXPORT_EXPORT_COMMON_H
#define DWELL_OUTPUT_EXPORT_EXPORT_COMMON_H

#include "export.h"

/* What a thread's process is called, see profile_title(); "?" for one that is unknown. */
const char *export_process_title(const struct profile_thread *thread);

/* 0: unknown. */
uint32_t export_pid(const struct profile_thread *thread);

/* The map of the program that the first of the processes runs; NULL: unknown. */
const struct record_map *export_program(const struct profile *profile);

/* In the unit asked for; `usual` is what the format has if none was. */
uint64_t export_amount(const struct export_source *source, const struct profile_amount *amount,
		       enum export_unit usual);

/* When it began, and for how long, as far as the filter wants it; in nanoseconds. */
uint64_t export_started_unix_ns(const struct export_source *source);
uint64_t export_duration_ns(const struct export_source *source);

/* From one sample of a thread to the next, as asked for; 0: unknown. */
uint64_t export_period_ns(const struct profile *profile);

/* The file that each function was compiled from, as far as frames tell; NULL where it is unknown.
 * To be freed; NULL: no memory. */
const char **export_sources(const struct profile *profile);

/* How many frames from a place of a stack on are of one address: it and all that it was inlined
 * into. At least 1. */
uint32_t export_inlined(const struct profile *profile, const struct profile_stack *stack,
			uint32_t place);

/* Returns whether a node that is not the root was inlined into its caller, so that both are one
 * address. */
bool export_is_inlined(const struct profile *profile, uint32_t node);

/* The numbers of all single samples, by time, and before that by thread if that is wanted; to be
 * freed. NULL: no memory. */
uint32_t *export_in_order(const struct profile *profile, bool by_thread);

/* The numbers of all stacks that are not left out, by thread and then by their functions from the
 * outermost on; to be freed. NULL: no memory. */
uint32_t *export_sorted_stacks(const struct profile *profile, size_t *count);

/* By functions from the outermost on; one that is the beginning of another comes before it. */
int export_compare_stacks(const struct profile *profile, const struct profile_stack *a,
			  const struct profile_stack *b);

#endif
