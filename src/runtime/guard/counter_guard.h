/* SPDX-License-Identifier: MIT
 *
 * counter_guard.h - what is to be done before the program forbids itself to read the CPU's counter,
 * and after it has named a thread.
 */
#ifndef DWELL_RUNTIME_GUARD_COUNTER_GUARD_H
#define DWELL_RUNTIME_GUARD_COUNTER_GUARD_H

/* Each runtime has its own. After its return, reading the counter ends the process. */
void counter_guard_lost(void);

/* The calling thread has named itself. */
void counter_guard_named(void);

#endif
