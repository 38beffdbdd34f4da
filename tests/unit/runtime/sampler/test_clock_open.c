/* SPDX-License-Identifier: MIT
 *
 * test_clock_open.c - the choice of a clock, with three clocks that the test makes available or
 * not.
 */
#include <errno.h>
#include <stddef.h>

#include "runtime/sampler/clock.h"
#include "tap.h"

#define CLOCK(name, number)                                                                        \
	static bool open_##name(uint64_t tick_ns, struct clock_refusal *refusal)                   \
	{                                                                                          \
		return try_open(number, tick_ns, refusal);                                         \
	}                                                                                          \
	const struct clock clock_##name = { #name, .open = open_##name }

static struct {
	bool works[3];
	int tried[3];
	uint64_t tick_ns;
} fake;

static bool try_open(int number, uint64_t tick_ns, struct clock_refusal *refusal)
{
	static const struct clock_refusal refusals[] = { { EACCES, "the first refuses" },
							 { EAGAIN, "the second refuses" },
							 { EBUSY, "the third refuses" } };

	fake.tried[number]++;
	fake.tick_ns = tick_ns;
	if (!fake.works[number])
		*refusal = refusals[number];
	return fake.works[number];
}

CLOCK(perf, 0);
CLOCK(timer, 1);
CLOCK(itimer, 2);

static const struct clock *open_with(const char *name, bool perf, bool timer, bool itimer,
				     struct clock_refusal *refusal)
{
	fake.works[0] = perf;
	fake.works[1] = timer;
	fake.works[2] = itimer;
	fake.tried[0] = fake.tried[1] = fake.tried[2] = 0;
	*refusal = (struct clock_refusal){ EINVAL, "unknown clock" };
	return clock_open(name, 12345, refusal);
}

static void the_best(void)
{
	struct clock_refusal refusal;

	ok(open_with(NULL, true, true, true, &refusal) == &clock_perf && fake.tick_ns == 12345,
	   "the first that opens is taken");
	ok(fake.tried[1] == 0 && fake.tried[2] == 0, "the others are left alone");
	ok(open_with(NULL, false, true, true, &refusal) == &clock_timer, "or the second");
	ok(open_with(NULL, false, false, true, &refusal) == &clock_itimer, "or the third");
	ok(open_with(NULL, false, false, false, &refusal) == NULL && refusal.error == EBUSY &&
		   refusal.sentence,
	   "or none, with the reason of the last");
}

static void by_name(void)
{
	struct clock_refusal refusal;

	ok(open_with("timer", true, true, true, &refusal) == &clock_timer && fake.tried[0] == 0,
	   "a clock is had by its name");
	ok(open_with("perf", false, true, true, &refusal) == NULL && refusal.error == EACCES &&
		   fake.tried[1] == 0 && fake.tried[2] == 0,
	   "no other takes its place");
	ok(open_with("sundial", true, true, true, &refusal) == NULL && refusal.error == EINVAL &&
		   refusal.sentence,
	   "a name that is none is refused");
	ok(open_with("Perf", true, true, true, &refusal) == NULL &&
		   open_with("perf ", true, true, true, &refusal) == NULL,
	   "so is one that is nearly one");
}

int main(void)
{
	the_best();
	by_name();
	return tap_done();
}
