/* SPDX-License-Identifier: MIT */
#include "sys.h"

sys_filter_function *sys_filter;
