/* SPDX-License-Identifier: MIT
 *
 * epilogue.h - epilogues are not read on aarch64.
 */
#include "no_epilogue.h"
