/* SPDX-License-Identifier: MIT
 *
 * calls_nothing.h - a library of two functions that do nothing: one is called, the other only
 * imported.
 */
#ifndef DWELL_BENCH_CALLS_NOTHING_H
#define DWELL_BENCH_CALLS_NOTHING_H

void calls_nothing(void);
void calls_not_made(void);

#endif
