/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - reads the code of x86-64; all of it is common to i386 and x86-64.
 */
#include "x86/epilogue.h"
