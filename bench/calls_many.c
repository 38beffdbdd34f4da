/* SPDX-License-Identifier: MIT */
#include "calls_many.h"

#define DEFINE(name)                                                                               \
	void name(void);                                                                           \
	void name(void)                                                                            \
	{                                                                                          \
	}

MANY(DEFINE)
