/* SPDX-License-Identifier: MIT
 *
 * python_shadow.c - native functions that python_truth.py calls its own through: shadow_K calls
 * f_K.
 */
#define SHADOW(number)                                                                             \
	int shadow_##number(int (*callback)(int), int depth);                                      \
	int shadow_##number(int (*callback)(int), int depth)                                       \
	{                                                                                          \
		return callback(depth) + number;                                                   \
	}

SHADOW(0)
SHADOW(1)
SHADOW(2)
SHADOW(3)
SHADOW(4)
SHADOW(5)
SHADOW(6)
SHADOW(7)
