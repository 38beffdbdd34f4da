/* SPDX-License-Identifier: MIT
 *
 * own_unwinder.h - does a file contain an unwinder of exceptions? The functions of one read the
 * registers and the return addresses of each other, so that none of them may be timed: a timed
 * call returns elsewhere. Most have known names (runtime/calls/choice.c); in a stripped file they
 * have none.
 */
#ifndef DWELL_ENTRY_OWN_UNWINDER_H
#define DWELL_ENTRY_OWN_UNWINDER_H

#include "entry/view.h"

/* Returns whether the file handles exceptions, and by nothing that it imports. */
bool own_unwinder_is_in(const struct view *view);

#endif
