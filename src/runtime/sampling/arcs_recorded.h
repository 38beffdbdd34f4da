/* SPDX-License-Identifier: MIT
 *
 * arcs_recorded.h - arcs in the recording: what functions built with -pg count is there at once,
 * and nothing is left to be written when the process ends.
 */
#ifndef DWELL_RUNTIME_SAMPLING_ARCS_RECORDED_H
#define DWELL_RUNTIME_SAMPLING_ARCS_RECORDED_H

#include "runtime/process/entry.h"

/* From now on they are of the process with this entry. */
void arcs_recorded_attach(const struct entry *entry);

/* Something was unmapped, and the recording knows. Any context. */
void arcs_recorded_unmapped(uintptr_t start, uintptr_t end);

#endif
