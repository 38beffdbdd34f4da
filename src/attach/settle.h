/* SPDX-License-Identifier: MIT
 *
 * settle.h - makes the weights of samples add up to the CPU time that the kernel has counted.
 * Weights of events need no correction: each sample has the number that it stands for.
 */
#ifndef DWELL_ATTACH_SETTLE_H
#define DWELL_ATTACH_SETTLE_H

#include "attach/attach_state.h"

/* Settles all weights that can be. is_last: no sample will follow. */
void settle_weights(struct attach *attach, bool is_last);

#endif
