/* SPDX-License-Identifier: MIT
 *
 * gmon_library.h - a library that is built with -pg.
 */
#ifndef DWELL_TESTS_GMON_LIBRARY_H
#define DWELL_TESTS_GMON_LIBRARY_H

/* Calls itself `count` times, and library_inner() three times each; returns how often. */
long library_outer(long count);

#endif
