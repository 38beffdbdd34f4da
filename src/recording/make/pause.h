/* SPDX-License-Identifier: MIT
 *
 * pause.h - pauses a recording while it is written, and continues it: by a bit of its header, which
 * its writers look at with each sample.
 */
#ifndef DWELL_RECORDING_MAKE_PAUSE_H
#define DWELL_RECORDING_MAKE_PAUSE_H

#include <stdbool.h>

/* Each changes the recording that a descriptor is open for, and returns 0 or -errno.
 * Async-signal-safe. */
int pause_set(int fd, bool is_paused);
int pause_toggle(int fd);

/* Returns whether it is paused, or -errno. */
int pause_get(int fd);

#endif
