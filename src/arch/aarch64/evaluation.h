/* SPDX-License-Identifier: MIT
 *
 * evaluation.h - no interpreter that holds its frames in registers is known on aarch64.
 */
#include "no_evaluation.h"
