/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - the instructions of i386 are a subset of those of x86-64.
 */
#include "../x86_64/epilogue.h"
