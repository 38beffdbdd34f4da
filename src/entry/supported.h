/* SPDX-License-Identifier: MIT
 *
 * supported.h - tells if entries of functions can be patched on this CPU.
 */
#ifndef DWELL_ENTRY_SUPPORTED_H
#define DWELL_ENTRY_SUPPORTED_H

#include <stdbool.h>

bool survey_is_supported(void);

#endif
