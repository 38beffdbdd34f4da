// SPDX-License-Identifier: MIT
//
// calls_throw.cc - libcalls_throw.so: functions that throw, let through, catch and throw on.
#include "calls_lib.h"

static unsigned long cleanups;

namespace
{

struct cleanup {
	~cleanup()
	{
		__atomic_fetch_add(&cleanups, 1, __ATOMIC_RELAXED);
	}
};

} // namespace

void lib_throw(int what)
{
	throw what;
}

long lib_through(callback *f, long x)
{
	cleanup at_the_end;

	return f(x) + 1;
}

long lib_catch(callback *f, long x)
{
	try {
		return f(x);
	} catch (int what) {
		return -what;
	}
}

long lib_rethrow(callback *f, long x)
{
	try {
		return f(x);
	} catch (...) {
		throw;
	}
}

unsigned long lib_throw_cleanups()
{
	return cleanups;
}
