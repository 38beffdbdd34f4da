/* SPDX-License-Identifier: MIT */
#include "steady.h"

struct steady steady;
