/* SPDX-License-Identifier: MIT
 *
 * join.h - joins functions of a recording that have both samples and counted calls. They are
 * matched by address, not by name: calls of strlen() are samples in __strlen_avx2(), and read(),
 * __read() and read@@GLIBC_2.2.5 are one function.
 */
#ifndef DWELL_MODEL_PROFILE_JOIN_H
#define DWELL_MODEL_PROFILE_JOIN_H

#include "model/calls/calls.h"
#include "profile_rows.h"

/* Adds the samples to rows of calls and, if rows of samples are by function, the calls to these.
 * Code with several names has the calls of all of them in its row, and each name has the samples of
 * that code. Does nothing unless the calls are by function.
 */
int join_calls_and_samples(struct calls *calls, struct profile_rows *rows,
			   const struct profile *profile, const struct reader *reader,
			   struct err *err);

/* Adds the number of calls and the time in them to rows by the same groups. */
int join_groups(const struct calls *calls, struct profile_rows *rows, struct err *err);

#endif
