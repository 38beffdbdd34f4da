/* SPDX-License-Identifier: MIT
 *
 * packed.h - a recording as its fuzz target takes it. Nearly all of a recording is zeroes up to the
 * next grain, which a fuzzer would spend its time on; so these are left out:
 *
 *	byte			which report is made of it
 *	two bytes, bytes...	how many bytes follow, which begin at the next grain; and so on
 *
 * Where there are fewer bytes than are said to follow, the file is cut behind them.
 */
#ifndef DWELL_FUZZ_PACKED_H
#define DWELL_FUZZ_PACKED_H

#include <stdint.h>

#include "recording/format.h"

#define PACKED_HEAD   1
#define PACKED_LENGTH 2

static inline uint64_t packed_grains(uint64_t size)
{
	return (size + RECORD_GRAIN - 1) / RECORD_GRAIN;
}

#endif
