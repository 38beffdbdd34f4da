/* SPDX-License-Identifier: MIT
 *
 * join.h - functions of a recording that have both samples and counted calls. Which are the same is
 * told by their address, not by their names: calls of strlen() are samples in __strlen_avx2(), and
 * read(), __read() and read@@GLIBC_2.2.5 are one function.
 */
#ifndef DWELL_MODEL_PROFILE_JOIN_H
#define DWELL_MODEL_PROFILE_JOIN_H

#include "model/calls/calls.h"
#include "profile_rows.h"

/* Fills in what rows of calls know of samples, and if those of samples are by function, what these
 * know of calls. Code that is called by several names has in its row the calls of all of them, and
 * each name has the samples of that code. The calls have to be by function, else nothing is done.
 */
int join_calls_and_samples(struct calls *calls, struct profile_rows *rows,
			   const struct profile *profile, const struct reader *reader,
			   struct err *err);

#endif
