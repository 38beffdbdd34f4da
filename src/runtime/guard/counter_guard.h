/* SPDX-License-Identifier: MIT
 *
 * counter_guard.h - interposes prctl().
 */
#ifndef DWELL_RUNTIME_GUARD_COUNTER_GUARD_H
#define DWELL_RUNTIME_GUARD_COUNTER_GUARD_H

/*
 * Calls lost() before the program forbids itself to read the CPU's counter: after lost() returns,
 * reading it ends the process. Calls named() after the calling thread has named itself.
 */
void counter_guard_use(void (*lost)(void), void (*named)(void));

#endif
