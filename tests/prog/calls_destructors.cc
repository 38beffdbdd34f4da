// SPDX-License-Identifier: MIT
//
// calls_destructors.cc - threads that end inside functions of a library while C++ objects are
// alive: pthread_exit() and pthread_cancel() run their destructors, and pass through catch (...).
#include <pthread.h>

#include "calls_lib.h"
#include "calls_target.h"

namespace
{

constexpr int threads = 200;
long order; // which destructors ran, in which order, as digits
int never[2];

struct cleanup {
	int digit;

	~cleanup()
	{
		order = order * 10 + lib_add(digit, 0);
	}
};

NOINLINE long exits(long x)
{
	cleanup last = { 1 };

	pthread_exit(reinterpret_cast<void *>(x));
}

NOINLINE long waits(long x)
{
	cleanup last = { 1 };

	return lib_wait(never[0]) + x;
}

NOINLINE long passes_on(callback *f, long x)
{
	try {
		return lib_through(f, x);
	} catch (...) {
		lib_add(0, 0);
		throw; // not to throw it on would be the end of the program
	}
}

NOINLINE long through_a_handler(long x)
{
	cleanup middle = { 2 };

	return passes_on(x < 0 ? waits : exits, x);
}

pthread_barrier_t ready;

void *thread_main(void *argument)
{
	cleanup first = { 3 };

	pthread_barrier_wait(&ready);
	lib_call(through_a_handler, reinterpret_cast<long>(argument));
	return nullptr;
}

void many_threads(bool cancel)
{
	int ended = 0, in_order = 0;

	if (pipe(never) != 0)
		fail("pipe");
	pthread_barrier_init(&ready, nullptr, 2);
	for (long i = 0; i < threads; i++) {
		void *argument = reinterpret_cast<void *>(cancel ? -1 : i), *result;
		pthread_t thread;

		order = 0;
		pthread_create(&thread, nullptr, thread_main, argument);
		pthread_barrier_wait(&ready);
		if (cancel)
			pthread_cancel(thread);
		pthread_join(thread, &result);
		ended += result == (cancel ? PTHREAD_CANCELED : argument);
		in_order += order == 123;
	}
	printf("%d ended, %d in order, %lu cleanups\n", ended, in_order, lib_throw_cleanups());
	expect("lib_call calls=%d escaped=%d", threads, threads);
	expect("lib_through calls=%d escaped=%d", threads, threads);
	expect("lib_add calls=%d", 4 * threads);
	expect("lib_throw_cleanups calls=1");
}

void exit_below()
{
	many_threads(false);
}

void cancel_below()
{
	many_threads(true);
	expect("lib_wait calls=%d escaped=%d", threads, threads);
}

const scenario scenarios[] = {
	{ "exit_below", exit_below },
	{ "cancel_below", cancel_below },
};

} // namespace

MAIN_OF(scenarios)
