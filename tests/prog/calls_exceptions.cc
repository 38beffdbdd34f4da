// SPDX-License-Identifier: MIT
//
// calls_exceptions.cc - exceptions thrown by, through and beside functions of a library, caught by
// their direct caller, further up and inside the library.
#include <exception>
#include <pthread.h>
#include <stdexcept>

#include "calls_lib.h"
#include "calls_target.h"

namespace
{

// Makes a call of its own while an exception passes.
struct cleanup {
	~cleanup()
	{
		lib_add(1, 1);
	}
};

NOINLINE long throws(long x)
{
	throw static_cast<int>(x);
}

NOINLINE long throws_if_odd(long x)
{
	if (x & 1)
		throw static_cast<int>(x);
	return x;
}

NOINLINE long lets_throw(long x)
{
	lib_throw(static_cast<int>(x));
	return x;
}

void by_the_function()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		try {
			lib_throw(i);
		} catch (int what) {
			sum += what;
		}
	}
	printf("caught %ld\n", sum);
	expect("lib_throw calls=1000 escaped=1000");
}

void through_one()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		try {
			sum += lib_call(throws_if_odd, i);
		} catch (int what) {
			sum -= what;
		}
	}
	printf("sum %ld\n", sum);
	expect("lib_call calls=1000 escaped=500");
}

NOINLINE long three_frames(long x)
{
	cleanup first;

	return lib_through(lets_throw, x) + 1;
}

void through_several()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		try {
			cleanup second;

			sum += lib_call(three_frames, i);
		} catch (int what) {
			sum += what;
		}
	}
	printf("caught %ld, %lu cleanups\n", sum, lib_throw_cleanups());
	expect("lib_throw calls=1000 escaped=1000");
	expect("lib_through calls=1000 escaped=1000");
	expect("lib_call calls=1000 escaped=1000");
	expect("lib_add calls=2000");
	expect("lib_throw_cleanups calls=1");
}

// The catcher is itself a frame of the library, and a wrapped one is above it.
void inside()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += lib_catch(lets_throw, i);
	printf("sum %ld\n", sum);
	expect("lib_catch calls=1000");
	expect("lib_throw calls=1000 escaped=1000");
}

// Throws and catches beside a call that goes on: the frames above it must stay as they are.
NOINLINE long catches_beside(long x)
{
	long sum = lib_add(1, 2);

	try {
		lib_throw(static_cast<int>(x));
	} catch (int what) {
		sum += what + lib_add(3, 4);
	}
	return sum;
}

void beside()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++)
		sum += lib_call(catches_beside, i);
	printf("sum %ld\n", sum);
	expect("lib_call calls=1000");
	expect("lib_throw calls=1000 escaped=1000");
	expect("lib_add calls=2000");
}

NOINLINE long rethrows(long x)
{
	return lib_rethrow(lets_throw, x);
}

void rethrow()
{
	long sum = 0;

	for (int i = 0; i < 1000; i++) {
		try {
			try {
				lib_rethrow(rethrows, i);
			} catch (...) {
				sum += lib_add(1, 0);
				throw;
			}
		} catch (int what) {
			sum += what;
		}
	}
	printf("sum %ld\n", sum);
	expect("lib_throw calls=1000 escaped=1000");
	expect("lib_rethrow calls=2000 escaped=2000");
	expect("lib_add calls=1000");
}

std::exception_ptr handed_over;

NOINLINE long throws_what_was_handed_over(long)
{
	std::rethrow_exception(handed_over);
}

void *throw_and_hand_over(void *number)
{
	try {
		lib_call(lets_throw, *static_cast<int *>(number));
	} catch (...) {
		handed_over = std::current_exception();
	}
	return nullptr;
}

void across_threads()
{
	long sum = 0;

	for (int i = 0; i < 200; i++) {
		pthread_t thread;

		pthread_create(&thread, nullptr, throw_and_hand_over, &i);
		pthread_join(thread, nullptr);
		try {
			lib_through(throws_what_was_handed_over, 0);
		} catch (int what) {
			sum += what;
		}
	}
	printf("sum %ld\n", sum);
	expect("lib_throw calls=200 escaped=200");
	expect("lib_call calls=200 escaped=200");
	expect("lib_through calls=200 escaped=200");
}

long compared, compare_at_most;

int compare(const void *a, const void *b)
{
	if (++compared == compare_at_most)
		throw std::runtime_error("enough");
	return lib_add(*static_cast<const int *>(a), -*static_cast<const int *>(b));
}

void out_of_qsort()
{
	int numbers[100], given_up = 0;
	long total = 0;

	for (int i = 0; i < 1000; i++) {
		for (int j = 0; j < 100; j++)
			numbers[j] = (j * 37) % 101;
		compared = 0;
		compare_at_most = i & 1 ? i / 10 + 1 : 0;
		try {
			qsort(numbers, 100, sizeof(numbers[0]), compare);
			total += compared;
		} catch (const std::runtime_error &) {
			given_up++;
			total += compared - 1;
		}
	}
	printf("%d given up, %ld comparisons\n", given_up, total);
	expect("qsort calls=1000 escaped=500");
	expect("lib_add calls=%ld", total);
}

void many()
{
	long sum = 0;

	for (int i = 0; i < 10000; i++) {
		try {
			lib_call(lets_throw, i);
		} catch (int what) {
			sum += what;
		}
	}
	printf("sum %ld\n", sum);
	expect("lib_throw calls=10000 escaped=10000");
	expect("lib_call calls=10000 escaped=10000");
}

NOINLINE long fifty_deep(long level)
{
	cleanup at_each;

	return level ? lib_call(fifty_deep, level - 1) : throws(level);
}

void deep()
{
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			lib_call(fifty_deep, 49);
		} catch (int) {
			caught++;
		}
	}
	printf("caught %d\n", caught);
	expect("lib_call calls=5000 escaped=5000");
	expect("lib_add calls=5000");
}

// Each handler is still at work while the next exception is thrown: fifty are alive at once.
NOINLINE long in_the_handler(long level)
{
	try {
		lib_throw(static_cast<int>(level));
	} catch (int what) {
		return what + (level ? lib_through(in_the_handler, level - 1) : 0);
	}
	return 0;
}

void in_handlers()
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += in_the_handler(49);
	printf("sum %ld\n", sum);
	expect("lib_throw calls=5000 escaped=5000");
	expect("lib_through calls=4900");
}

// While one exception passes, another is thrown and caught in the destructor that it runs.
struct throwing_cleanup {
	long level;
	~throwing_cleanup();
};

NOINLINE long throws_in_cleanup(long level)
{
	throwing_cleanup at_the_end = { level - 1 };

	lib_throw(static_cast<int>(level));
	return 0;
}

throwing_cleanup::~throwing_cleanup()
{
	if (level <= 0)
		return;
	try {
		lib_call(throws_in_cleanup, level);
	} catch (int) {
		lib_add(1, 1);
	}
}

void in_destructors()
{
	int caught = 0;

	for (int i = 0; i < 100; i++) {
		try {
			lib_call(throws_in_cleanup, 10);
		} catch (int what) {
			caught += what;
		}
	}
	printf("caught %d\n", caught);
	expect("lib_call calls=1000 escaped=1000");
	expect("lib_throw calls=1000 escaped=1000");
	expect("lib_add calls=900");
}

pthread_barrier_t barrier;

void *adds(void *)
{
	long sum = 0;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 120000; i++)
		sum += lib_add(i, 1);
	return reinterpret_cast<void *>(sum);
}

void *throws_and_catches(void *)
{
	long sum = 0;

	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 4000; i++) {
		try {
			lib_call(lets_throw, i);
		} catch (int what) {
			sum += what;
		}
	}
	return reinterpret_cast<void *>(sum);
}

void beside_other_threads()
{
	void *(*const work[])(void *) = { adds, throws_and_catches, adds, throws_and_catches };
	pthread_t threads[4];
	long sum = 0;

	pthread_barrier_init(&barrier, nullptr, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], nullptr, work[i], nullptr);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += reinterpret_cast<long>(result);
	}
	printf("sum %ld\n", sum);
	expect("lib_add calls=240000");
	expect("lib_call calls=8000 escaped=8000");
	expect("lib_throw calls=8000 escaped=8000");
}

// Throws without a handler: the search for one fails before anything is unwound.
void uncaught()
{
	expect("lib_call calls=1 running=1");
	expect("lib_throw calls=1 running=1");
	lib_call(lets_throw, 1);
}

NOINLINE long lets_nothing_out(long x) noexcept
{
	return lib_call(lets_throw, x);
}

void through_noexcept()
{
	std::set_terminate([] {
		printf("terminated\n");
		_exit(5);
	});
	expect("lib_call calls=2 escaped=1 running=1");
	expect("lib_throw calls=1 escaped=1");
	lib_call(lets_nothing_out, 1);
}

const scenario scenarios[] = {
	{ "by_the_function", by_the_function },
	{ "through_one", through_one },
	{ "through_several", through_several },
	{ "inside", inside },
	{ "beside", beside },
	{ "rethrow", rethrow },
	{ "across_threads", across_threads },
	{ "out_of_qsort", out_of_qsort },
	{ "many", many },
	{ "deep", deep },
	{ "in_handlers", in_handlers },
	{ "in_destructors", in_destructors },
	{ "beside_other_threads", beside_other_threads },
	{ "uncaught", uncaught },
	{ "through_noexcept", through_noexcept },
};

} // namespace

MAIN_OF(scenarios)
