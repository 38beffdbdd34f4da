/* SPDX-License-Identifier: MIT
 *
 * diff_test.h - which changes are more than noise.
 *
 * Samples are counted, so by chance alone their numbers vary. They are taken for independent
 * events; since they come at even steps of CPU time, they vary less than that as a rule, and what
 * is called more than noise is so. Samples that weigh differently are as good as fewer ones of
 * equal weight.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_TEST_H
#define DWELL_MODEL_DIFF_DIFF_TEST_H

#include "diff.h"

/* Of rows whose sums are done: their values, their p-values, and which of them stand out. 0 or
 * -ENOMEM. */
int diff_test(struct diff *diff);

#endif
