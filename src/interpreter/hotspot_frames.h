/* SPDX-License-Identifier: MIT
 *
 * hotspot_frames.h - methods of Java that a native frame stands for. In a handler.
 */
#ifndef DWELL_INTERPRETER_HOTSPOT_FRAMES_H
#define DWELL_INTERPRETER_HOTSPOT_FRAMES_H

#include "hotspot_step.h"
#include "interpreter.h"

/* Implements compiled() of struct interpreter, for what hotspot_step() has noted. */
bool hotspot_frames(struct script_walk *walk);

#endif
