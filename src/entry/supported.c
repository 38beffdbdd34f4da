/* SPDX-License-Identifier: MIT */
#include "entry/supported.h"

bool survey_is_supported(void)
{
	return true;
}
