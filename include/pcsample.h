/* SPDX-License-Identifier: MIT
 *
 * pcsample.h - one program counter per tick, in the order of the ticks. See pcsample(3).
 */
#ifndef DWELL_PCSAMPLE_H
#define DWELL_PCSAMPLE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Stores the program counter of each tick of the process's CPU time in samples[0..nsamples-1] and
 * stops when that is full. nsamples 0 stops it. Returns how many the previous call stored, or
 * -1 with errno EINVAL if nsamples is negative. Async-signal-safe.
 */
long pcsample(uintptr_t samples[], long nsamples);

#ifdef __cplusplus
}
#endif

#endif
