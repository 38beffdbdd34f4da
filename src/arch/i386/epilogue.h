/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - the instructions of i386 are those of x86-64, but for what that has more.
 */
#include "../x86_64/epilogue.h"
