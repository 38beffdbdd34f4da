/* SPDX-License-Identifier: MIT
 *
 * ticks.h - the time-stamp counter of x86-64.
 */
#ifndef DWELL_ARCH_TICKS_H
#define DWELL_ARCH_TICKS_H

#include "x86/ticks.h"

#define ARCH_VDSO_CLOCK "__vdso_clock_gettime"

#endif
