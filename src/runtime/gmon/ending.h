/* SPDX-License-Identifier: MIT
 *
 * ending.h - notices how a program ends, other than by exit(): _exit(), quick_exit(), and signals
 * whose default action ends it, which includes abort().
 */
#ifndef DWELL_RUNTIME_GMON_ENDING_H
#define DWELL_RUNTIME_GMON_ENDING_H

/*
 * Calls finish() from now on before the program ends so; any context. It may be called again.
 * Signals that the program handles or ignores stay as they are. Once.
 */
void ending_watch(void (*finish)(void));

#endif
