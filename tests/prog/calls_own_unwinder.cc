// SPDX-License-Identifier: MIT
//
// calls_own_unwinder.cc - exceptions through library functions in a program that has its unwinder
// linked in, and another one than libgcc's: code outside cannot ask it where it is.
#include "calls_lib.h"
#include "calls_target.h"

enum { ROUNDS = 1000 };

static int cleanups;

struct cleanup {
	~cleanup()
	{
		cleanups++;
	}
};

// The unwinder's context has parts that it does not set. Each word of the stack gets its turn to
// remain there: one of them is the address of a stub.
static NOINLINE void leave_remains(size_t word)
{
	volatile size_t remains[1 << 11];

	for (auto &remain : remains)
		remain = word;
}

static NOINLINE long throwing(long x)
{
	cleanup here;
	auto frame = static_cast<const size_t *>(__builtin_frame_address(0));

	leave_remains(frame[x % 32]);
	throw(int) x;
}

static NOINLINE long through(long x)
{
	cleanup here;

	return lib_between(throwing, x);
}

// The caller of the function itself catches.
static void beside(void)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		try {
			lib_call(throwing, i);
		} catch (int thrown) {
			sum += thrown == i;
		}
		sum += lib_add(i, 1) == i + 1;
	}
	printf("%d caught and added, %d cleaned up\n", sum, cleanups);
	expect("lib_call calls=%d escaped=%d", ROUNDS, ROUNDS);
	expect("lib_add calls=%d", ROUNDS);
}

static NOINLINE long catching(long x)
{
	try {
		return lib_call(through, x);
	} catch (int thrown) {
		return thrown;
	}
}

// Through two, and a third one that it does not get to; and on, by throwing it again.
static void through_several(void)
{
	int sum = 0;

	for (int i = 0; i < ROUNDS; i++) {
		sum += lib_call(catching, i) == i + 1;
		try {
			try {
				lib_call(through, i);
			} catch (int) {
				throw;
			}
		} catch (int thrown) {
			sum += thrown == i;
		}
	}
	printf("%d right, %d cleaned up\n", sum, cleanups);
	expect("lib_call calls=%d returned=%d escaped=%d", 3 * ROUNDS, ROUNDS, 2 * ROUNDS);
	expect("lib_between calls=%d escaped=%d", 2 * ROUNDS, 2 * ROUNDS);
}

static const struct scenario scenarios[] = {
	{ "beside", beside },
	{ "through_several", through_several },
};

MAIN_OF(scenarios)
