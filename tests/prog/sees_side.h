/* SPDX-License-Identifier: MIT
 *
 * sees_side.h - libsees_left.so, libsees_middle.so and libsees_right.so, all alike.
 */
#ifndef DWELL_TESTS_SEES_SIDE_H
#define DWELL_TESTS_SEES_SIDE_H

const char *sees_side(void);
const char *sees_call_side(void);

#endif
