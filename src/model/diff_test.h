/* SPDX-License-Identifier: MIT
 *
 * diff_test.h - which changes are more than noise.
 *
 * Samples are counted, so by chance alone their numbers vary, at most as those of independent
 * events do: a clock that ticks by CPU time makes them vary less. Samples that weigh differently
 * are as good as fewer ones of equal weight.
 */
#ifndef DWELL_MODEL_DIFF_TEST_H
#define DWELL_MODEL_DIFF_TEST_H

#include "model/diff.h"

/* Of rows whose sums are done: their values, their p-values, and which of them stand out. 0 or
 * -ENOMEM. */
int diff_test(struct diff *diff);

#endif
