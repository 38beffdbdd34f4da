/* SPDX-License-Identifier: MIT
 *
 * ending.h - notices how a program ends other than by exit(): by _exit(), quick_exit(), or a signal
 * whose default action ends it, which includes abort().
 */
#ifndef DWELL_RUNTIME_GMON_ENDING_H
#define DWELL_RUNTIME_GMON_ENDING_H

/*
 * Calls finish() before the program ends in such a way; any context. finish() may be called more
 * than once. Signals that the program handles or ignores stay as they are. Call this once.
 */
void ending_watch(void (*finish)(void));

#endif
