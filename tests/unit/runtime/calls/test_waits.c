/* SPDX-License-Identifier: MIT
 *
 * test_waits.c - the CPU time of long calls, compared with what the functions measure themselves.
 *
 * Both measure the CPU time of the same code, so other programs on the machine do not matter: the
 * wrapper adds some microseconds of its own to each call.
 */
#include <time.h>

#include "../../apart.h"
#include "emulated.h"
#include "runtime/calls/tallies.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static long (*wspin)(long), (*wrest)(long), (*wquick)(long);

static int64_t spun_ns, rested_ns;

static int64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Uses so many nanoseconds of CPU time. */
NOINLINE static long spin(long ns)
{
	int64_t start = cpu_now(), now = start;

	while (now - start < ns)
		now = cpu_now();
	spun_ns += now - start;
	return ns;
}

NOINLINE static long rest(long ns)
{
	struct timespec time = { .tv_nsec = ns };
	int64_t start = cpu_now();

	nanosleep(&time, NULL);
	rested_ns += cpu_now() - start;
	return ns;
}

NOINLINE static long quick(long n)
{
	__asm__ volatile("" ::: "memory");
	return n + 1;
}

static void begin(uint32_t flags, uint32_t clock)
{
	wrapped_begin_with(flags, clock);
	wspin = WRAP(spin);
	wrest = WRAP(rest);
	wquick = WRAP(quick);
}

/* Returns the sums over the process. */
static struct record_waits waits_of(const void *redirector)
{
	struct record_waits total = { 0 };
	uint32_t id = wrapped_id(redirector);
	size_t size;
	const char *bytes = recording_map(&size);
	const struct record_segment *segment = NULL;

	while ((segment = recording_next(bytes, size, segment))) {
		const struct record_item *item = NULL;

		if (segment->kind != RECORD_THREAD && segment->kind != RECORD_COUNTS)
			continue;
		while ((item = item_next(segment, item))) {
			const struct record_waits *waits = (const struct record_waits *)item;

			if (item->kind != RECORD_WAITS || waits->function != id)
				continue;
			total.sum += waits->sum;
			total.watched += waits->watched;
			total.cpu_ns += waits->cpu_ns;
			total.calls += waits->calls;
		}
	}
	munmap((void *)bytes, size);
	return total;
}
#define WAITS(function) waits_of((const void *)(function))

/* Returns whether the measured CPU time is the function's own, and at most so much more per call.
 */
static bool is_near(const struct record_waits *waits, int64_t own_ns, double part, uint64_t calls)
{
	const double more_ns = 50e3;
	double measured = (double)waits->cpu_ns, own = (double)own_ns;

	note("%" PRIu64 " measured calls, %.3f ms of CPU time, own %.3f ms", waits->calls,
	     measured / 1e6, own / 1e6);
	return measured >= own * (1 - part) &&
	       measured <= own * (1 + part) + (double)calls * more_ns;
}

/* All calls are so long that each is measured. */
static void all(uint32_t flags, uint32_t clock)
{
	const uint64_t calls = 20;
	struct record_waits spins, rests;

	begin(flags, clock);
	for (uint64_t i = 0; i < calls; i++) {
		wspin(1000000);
		wrest(1000000);
	}
	spins = WAITS(wspin);
	rests = WAITS(wrest);
	ok(spins.calls == calls && rests.calls == calls, "each long call is measured");
	ok(is_near(&spins, spun_ns, 0, calls), "one that works has used its CPU time");
	ok(is_near(&rests, rested_ns, 0, calls), "one that waits has used hardly any");
	ok(rests.watched >= SEEN_BY_ALL(wrest).sum, "its time is known as well");
	ok(rests.sum + SEEN_BY_ALL(wrest).max >= SEEN_BY_ALL(wrest).sum,
	   "the time of long calls is all of it, but the last");
	ok(slots_in_use() == 0, "no slot is left in use");
}

static void by_ticks(void)
{
	all(0, RECORD_CLOCK_TICKS);
}

static void by_nanoseconds(void)
{
	all(0, RECORD_CLOCK_NS);
}

static void by_caller(void)
{
	all(RECORD_BY_CALLER, RECORD_CLOCK_TICKS);
}

/* Shorter calls: a part of them is measured, and stands for all. */
static void sampled(void)
{
	const uint64_t calls = 4000;
	struct record_waits spins;

	begin(0, RECORD_CLOCK_TICKS);
	for (uint64_t i = 0; i < calls; i++)
		wspin(40000);
	spins = WAITS(wspin);
	/* All of them on a machine so busy that they take longer. */
	ok(spins.calls > calls / 20 && spins.calls <= calls, "a part of the calls is measured");
	/* The weights add up to the calls, less those since the last one: at most 129. */
	ok(is_near(&spins, spun_ns, 0.1, calls), "and stands for all");
}

/* Returns true, and says so, where calls of the function are short only without an emulator. */
static bool is_too_slow(uint32_t id, const char *what)
{
	if (!is_emulated() || calls_this->tallies[id])
		return false;
	skip(what, "an emulated call takes longer than a short one may (MEAN_LEAST in waits.c)");
	return true;
}

/* Short calls are not measured, and stay in the assembly. */
static void quick_ones(void)
{
	const uint64_t calls = 100000;
	uint32_t id;

	begin(0, RECORD_CLOCK_TICKS);
	for (uint64_t i = 0; i < calls; i++)
		wquick(1);
	ok(all_returned(SEEN_BY_ALL(wquick), calls), "all calls are counted");
	/* Another program may have interrupted some of them for long. */
	wquick(1);
	wquick(1);
	id = wrapped_id((const void *)wquick);
	if (!is_too_slow(id, "a function that takes little time"))
		ok(calls_this->tallies[id],
		   "a function that takes little time has ceased to be a suspect");
	ok(WAITS(wquick).calls <= 100, "and is measured no more than its longest calls require");
}

/* A function that was long once, and short for long, is seen when it is long again. */
static void again(void)
{
	/* The mean is low at first, so that a call may stand for up to 129. */
	const uint64_t calls = 200;
	uint64_t before;

	begin(0, RECORD_CLOCK_TICKS);
	wspin(1000000);
	wspin(1000000);
	for (int i = 0; i < 20000; i++)
		wspin(0);
	before = WAITS(wspin).calls;
	for (uint64_t i = 0; i < calls && WAITS(wspin).calls == before; i++)
		wspin(1000000);
	ok(WAITS(wspin).calls > before, "a function that is long again is measured again");
}

/*
 * A long call is left to C also if its octave has bins, which the assembly could add it to. Its
 * time is looked at when the next call returns. Whatever the time is on a busy machine, its octave
 * is one of those that have bins.
 */
static void seen_before(void)
{
	const unsigned octaves = 30;
	struct tally *tally;
	uint32_t id;

	begin(0, RECORD_CLOCK_TICKS);
	wspin(0);
	id = wrapped_id((const void *)wspin);
	tally = calls_this->tallies[id] ? calls_this->tallies[id] : waits_suspect(calls_this, id);
	for (unsigned i = 0; i < octaves; i++)
		tallies_add_duration(calls_this, tally, UINT64_C(1) << (OCTAVE_BITS + i), 1);
	for (int i = 0; i < 1000000 && !calls_this->tallies[id]; i++)
		wspin(0);
	if (is_too_slow(id, "a long call whose octave has bins"))
		return;
	ok(calls_this->tallies[id], "a function with short calls is not suspected");
	wspin(1000000);
	wspin(0);
	ok(!calls_this->tallies[id], "a long call makes it a suspect, though its octave has bins");
}

/* The tally with which the cost of a call is measured stays when the recording is gone. */
static void calibration(void)
{
	static struct tally own;

	begin(0, RECORD_CLOCK_TICKS);
	wquick(1);
	waits_add(calls_this, &own, calls_state.long_ticks, 1);
	ok(!own.waits && !own.is_suspect, "a long call in the calibration is not recorded");
}

/* Rates of counters: a long call is one of the same time at all of them. */
static void rates(void)
{
	const uint64_t second = 1000000000;

	ok(waits_long_ticks(3 * second, second) == 60000, "20 us at 3 GHz");
	ok(waits_long_ticks(62500000, second) == 1250, "at 62.5 MHz");
	ok(waits_long_ticks(62500, 1000000) == 1250, "by a short time");
	ok(waits_long_ticks(86400 * 3 * second, 86400 * second) == 60000, "or by a day");
	ok(!waits_long_ticks(500000, second) && !waits_long_ticks(11 * second, second) &&
		   !waits_long_ticks(second, 0) && !waits_long_ticks(300, 100),
	   "others cannot be rates");
}

static void rate_of_clock(void)
{
	begin(0, RECORD_CLOCK_NS);
	ok(calls_state.long_ticks == 20000 && calls_state.unit_shift == 2,
	   "ticks of the kernel's clock are nanoseconds");
}

/* However busy the machine is: a moment without the CPU between two readings changes the rate. */
static void rate_of_counter(void)
{
	struct record_instant from = wrapped_instant(), until;
	uint64_t due;

	usleep(20000);
	until = wrapped_instant();
	due = waits_long_ticks(until.ticks - from.ticks, until.ns - from.ns);
	for (int tries = 0; tries < 20; tries++) {
		begin(0, RECORD_CLOCK_TICKS);
		if (calls_state.long_ticks > due / 2 && calls_state.long_ticks < 2 * due)
			break;
	}
	note("%" PRIu64 " ticks, due %" PRIu64, calls_state.long_ticks, due);
	ok(calls_state.long_ticks > due / 2 && calls_state.long_ticks < 2 * due,
	   "ticks of the counter have its rate");
}

int main(void)
{
	apart("rates", rates);
	apart("rate of the counter", rate_of_counter);
	apart("rate of a clock", rate_of_clock);
	apart("by ticks", by_ticks);
	apart("by nanoseconds", by_nanoseconds);
	apart("by caller", by_caller);
	apart("sampled", sampled);
	apart("quick ones", quick_ones);
	apart("again", again);
	apart("seen before", seen_before);
	apart("calibration", calibration);
	return tap_done();
}
