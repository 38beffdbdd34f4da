/* SPDX-License-Identifier: MIT
 *
 * diff_test.h - finds the changes that are more than noise.
 *
 * Samples are counted, so their numbers vary by chance. They are treated as independent events;
 * since they come at even steps of CPU time, they usually vary less than that, so the test is on
 * the safe side. Samples of different weights are as good as fewer ones of equal weight.
 */
#ifndef DWELL_MODEL_DIFF_DIFF_TEST_H
#define DWELL_MODEL_DIFF_DIFF_TEST_H

#include "diff.h"

/* Computes for complete rows their values, their p-values, and which of them stand out. Returns 0
 * or -ENOMEM. */
int diff_test(struct diff *diff);

/* Tests rows, unless making them has failed with -ENOMEM. Frees the diff on an error. */
int diff_finish(struct diff *diff, int status, struct err *err);

#endif
