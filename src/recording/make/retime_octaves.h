/* SPDX-License-Identifier: MIT
 *
 * retime_octaves.h - converts the histograms of a segment to another clock. The bins of two clocks
 * do not coincide, and an octave of one may lie in several of the other.
 */
#ifndef DWELL_RECORDING_MAKE_RETIME_OCTAVES_H
#define DWELL_RECORDING_MAKE_RETIME_OCTAVES_H

#include "retime.h"

/* Replaces the OCTAVEs of a segment by new ones at its end. */
int retime_octaves(struct reader_segment *segment, const struct retime *retime, struct err *err);

#endif
