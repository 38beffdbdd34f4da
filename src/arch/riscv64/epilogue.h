/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - epilogues are not read on riscv64.
 */
#include "no_epilogue.h"
