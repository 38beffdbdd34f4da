/* SPDX-License-Identifier: MIT
 *
 * sees_guarded.h - libsees_guarded_library.so
 */
#ifndef DWELL_TESTS_SEES_GUARDED_H
#define DWELL_TESTS_SEES_GUARDED_H

typedef int guarded_function(int);

int guarded_leaf(int number);
int guarded_calls(int number, guarded_function *back);

#endif
