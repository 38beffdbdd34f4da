/* SPDX-License-Identifier: MIT
 *
 * arcs_recorded.h - arcs in the recording: functions built with -pg count directly there, and
 * nothing is left to write when the process ends.
 */
#ifndef DWELL_RUNTIME_SAMPLING_ARCS_RECORDED_H
#define DWELL_RUNTIME_SAMPLING_ARCS_RECORDED_H

#include "runtime/process/entry.h"
#include "sys.h"

/* Assigns arcs from now on to the process with this entry. blocked: signals to block while one is
 * stored, all but that of a recording that is truncated. */
void arcs_recorded_attach(const struct entry *entry, sys_sigset blocked);

/* Starts a new epoch after a range was unmapped, and the recording contains that. Any context. */
void arcs_recorded_unmapped(uintptr_t start, uintptr_t end);

#endif
