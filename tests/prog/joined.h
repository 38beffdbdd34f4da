/* SPDX-License-Identifier: MIT
 *
 * joined.h - libjoined.so: functions that use CPU time themselves, in proportion to what they are
 * told.
 */
#ifndef DWELL_TESTS_JOINED_H
#define DWELL_TESTS_JOINED_H

unsigned joined_hot(unsigned turns);
unsigned joined_other(unsigned turns); /* another name of the same code */
unsigned joined_cool(unsigned turns);
unsigned joined_idle(void);                /* does nothing, so that no sample is in it */
unsigned joined_uncounted(unsigned turns); /* for a test to leave out of what it counts */

#endif
