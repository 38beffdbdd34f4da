/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - reads the code of i386; all of it is common to i386 and x86-64.
 */
#include "x86/epilogue.h"
