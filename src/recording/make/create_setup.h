/* SPDX-License-Identifier: MIT
 *
 * create_setup.h - the segment of a recording that contains what was asked for.
 */
#ifndef DWELL_RECORDING_MAKE_CREATE_SETUP_H
#define DWELL_RECORDING_MAKE_CREATE_SETUP_H

#include "create.h"

/* Makes the segment of the event, specs and labels, a whole number of grains long. Free with
 * free(); NULL: no memory. */
struct record_segment *create_setup(const struct create_options *options);

#endif
