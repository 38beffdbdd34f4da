/* SPDX-License-Identifier: MIT
 *
 * export_common.h - functions shared by several formats.
 */
#ifndef DWELL_OUTPUT_EXPORT_EXPORT_COMMON_H
#define DWELL_OUTPUT_EXPORT_EXPORT_COMMON_H

#include "export.h"

/* Returns the name of a thread's process, see profile_title(), or "?". */
const char *export_process_title(const struct profile_thread *thread);

/* Returns 0 if it is unknown. */
uint32_t export_pid(const struct profile_thread *thread);

/* Return the pid, or the tid, or another number if a process of another machine may have that. */
uint64_t export_process(const struct profile_thread *thread);
uint64_t export_thread(const struct profile_thread *thread);

/* Returns the map of the program of the first process, or NULL. */
const struct record_map *export_program(const struct profile *profile);

/* Returns the amount in the unit asked for; `usual` is the format's default. */
uint64_t export_amount(const struct export_source *source, const struct profile_amount *amount,
		       enum export_unit usual);

/* Return the start and the duration of the part that the filter selects, in nanoseconds. */
uint64_t export_started_unix_ns(const struct export_source *source);
uint64_t export_duration_ns(const struct export_source *source);

/* The kind of time or the event that samples stand for, and its unit. */
struct export_type {
	const char *name, *unit;
};

struct export_type export_type(const struct profile *profile);

/* Returns the requested time, or number of events, between two samples of a thread, or 0. */
uint64_t export_period(const struct export_source *source);

/* Returns the source file of each function as far as frames know it, else NULL. The caller frees
 * the list. Returns NULL without memory. */
const char **export_sources(const struct profile *profile);

/* Returns the number of frames from a place of a stack on that share one address: it and the
 * functions that it was inlined into. At least 1. */
uint32_t export_inlined(const struct profile *profile, const struct profile_stack *stack,
			uint32_t place);

/* Returns whether a node that is not the root was inlined into its caller, so that both are one
 * address. */
bool export_is_inlined(const struct profile *profile, uint32_t node);

/* Returns the numbers of all single samples by time, or by thread and time; the caller frees them.
 * Returns NULL without memory. */
uint32_t *export_in_order(const struct profile *profile, bool by_thread);

/* Returns the numbers of all stacks that are not omitted, by thread and then by functions from the
 * outermost on; the caller frees them. Returns NULL without memory. */
uint32_t *export_sorted_stacks(const struct profile *profile, size_t *count);

/* Compares by functions from the outermost on; a stack sorts before its extensions. */
int export_compare_stacks(const struct profile *profile, const struct profile_stack *a,
			  const struct profile_stack *b);

#endif
