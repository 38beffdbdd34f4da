/* SPDX-License-Identifier: MIT
 *
 * counter_guard.h - stands in front of prctl().
 */
#ifndef DWELL_RUNTIME_GUARD_COUNTER_GUARD_H
#define DWELL_RUNTIME_GUARD_COUNTER_GUARD_H

/* Has lost() called before the program forbids itself to read the CPU's counter: after its return,
 * reading it ends the process. named() is called after the calling thread has named itself. */
void counter_guard_use(void (*lost)(void), void (*named)(void));

#endif
