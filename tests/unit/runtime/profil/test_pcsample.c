/* SPDX-License-Identifier: MIT
 *
 * test_pcsample.c - pcsample(), tick by tick.
 */
#include <limits.h>
#include <string.h>

#include "fake_sampler.h"

#include "runtime/profil/pcsample.c"

#include "../../pages.h"

static uintptr_t samples[10];

static void clear(void)
{
	pcsample(NULL, 0);
	memset(samples, 0, sizeof(samples));
}

static void first_call(void)
{
	ok(pcsample(samples, 10) == 0 && fake.sink, "the first call returns 0 and runs");
	ok(fake.sink->follows_fork, "it goes on in the child of a fork");
}

static void order(void)
{
	bool in_order = true;

	clear();
	pcsample(samples, 10);
	for (uintptr_t i = 0; i < 5; i++)
		in_order = in_order && fake_tick(5000 - i) == SINK_COUNTED;
	for (uintptr_t i = 0; i < 5; i++)
		in_order = in_order && samples[i] == 5000 - i;
	ok(in_order, "samples are stored in the order of the ticks");
	ok(samples[5] == 0, "and no further");
	ok(pcsample(NULL, 0) == 5 && !fake.sink, "0 stops it and returns how many there are");
	ok(pcsample(NULL, 0) == 0, "once");
	ok(pcsample(samples, 10) == 0, "the next run begins with none");
	ok(fake_tick(1) == SINK_COUNTED && samples[0] == 1, "at the beginning of its array");
	ok(pcsample(samples, 10) == 1 && fake.sink, "a call while it runs returns them too");
	fake_tick(2);
	ok(samples[0] == 2 && pcsample(NULL, 0) == 1, "and begins anew");
}

static void unadulterated(void)
{
	clear();
	pcsample(samples, 10);
	fake_tick(0);
	fake_tick(UINTPTR_MAX);
	fake_tick(0x401001);
	ok(samples[0] == 0 && samples[1] == UINTPTR_MAX && samples[2] == 0x401001,
	   "each pc is stored as it is");
	ok(pcsample(NULL, 0) == 3, "one that is 0 counts like any other");
}

static void full(void)
{
	struct sink *sink;

	clear();
	pcsample(samples, 2);
	sink = fake.sink;
	ok(fake_tick(1) == SINK_COUNTED, "there is room for the first of two");
	ok(fake_tick(2) == SINK_DONE && samples[1] == 2, "with the second it is full and stops");
	/* Handlers that run on other threads at that moment still have the sink. */
	ok(sink->take(sink, &(struct sink_ticks){ .pc = 3, .weight = 1 }) == SINK_DONE &&
		   sink->take(sink, &(struct sink_ticks){ .pc = 4, .weight = 7 }) == SINK_DONE &&
		   samples[0] == 1 && samples[1] == 2 && samples[2] == 0,
	   "nothing is stored behind");
	ok(pcsample(samples, 2) == 2, "the next call returns how many there were");
	ok(pcsample(NULL, 0) == 0, "the one after that 0");
}

static void weights(void)
{
	clear();
	pcsample(samples, 6);
	ok(fake_ticks(8, 3) == SINK_COUNTED && samples[0] == 8 && samples[1] == 8 &&
		   samples[2] == 8 && samples[3] == 0,
	   "a late tick takes the place of as many as it is late");
	ok(fake_ticks(9, 0) == SINK_COUNTED && samples[3] == 0, "one of no weight takes none");
	ok(fake_ticks(9, 100) == SINK_DONE && samples[5] == 9 && samples[6] == 0,
	   "and none behind the end");
	ok(pcsample(NULL, 0) == 6, "all of them are returned");
}

static void faults(void)
{
	char *pages = pages_new(2);
	size_t page = page_size();
	uintptr_t *last = (uintptr_t *)(pages + page) - 1;

	clear();
	pages_unmap(pages + page, 1);
	pcsample(last, 10);
	ok(fake_tick(1) == SINK_COUNTED && *last == 1, "the last good place is filled");
	ok(fake_tick(2) == SINK_DONE, "the first bad one ends it");
	ok(pcsample(NULL, 0) == 1 && pcsample(NULL, 0) == 0, "the count is kept, once");
	pcsample(last, 10);
	ok(fake_ticks(3, 4) == SINK_DONE && *last == 3 && pcsample(NULL, 0) == 1,
	   "also when a late tick runs into it");
	pages_protect(pages, 1, PROT_READ);
	pcsample(last, 1);
	ok(fake_tick(4) == SINK_DONE && *last == 3 && pcsample(NULL, 0) == 0,
	   "read-only memory is bad too");
	ok(pcsample(NULL, 5) == 0 && fake_tick(1) == SINK_DONE && pcsample(NULL, 0) == 0,
	   "so is NULL");
}

static void bad_calls(void)
{
	clear();
	pcsample(samples, 10);
	fake_tick(1);
	errno = 0;
	ok(pcsample(samples, -1) == -1 && errno == EINVAL, "fewer than none: EINVAL");
	errno = 0;
	ok(pcsample(NULL, LONG_MIN) == -1 && errno == EINVAL, "however few");
	ok(fake_tick(2) == SINK_COUNTED && samples[1] == 2, "and what was running goes on");
	ok(pcsample(NULL, 0) == 2, "none of it is forgotten");
	fake.refusal = EPERM;
	errno = 0;
	ok(pcsample(samples, 10) == -1 && errno == EPERM && !fake.locked,
	   "where no clock is to be had, errno says why");
	fake.refusal = 0;
	pcsample(samples, 10);
	fake_tick(1);
	fake_tick(2);
	fake.refusal = EPERM;
	ok(pcsample(samples, 10) == -1 && pcsample(samples, 10) == -1,
	   "no clock is to be had while there is a count");
	fake.refusal = 0;
	ok(pcsample(samples, 10) == 2, "which the next call that goes well returns");
	ok(pcsample(NULL, 0) == 0, "once");
}

static void large(void)
{
	clear();
	ok(pcsample(samples, LONG_MAX) == 0, "an array of any size is accepted");
	fake_tick(1);
	ok(pcsample(NULL, 0) == 1, "and filled as far as time allows");
	atomic_store(&array.stored, (size_t)INT_MAX + 5);
	ok(pcsample(NULL, 0) == (long)((size_t)INT_MAX + 5) || sizeof(long) == sizeof(int),
	   "more than an int can hold is returned, too");
}

static void what_is_owed(void)
{
	clear();
	pcsample(samples, 10);
	fake_tick(1);
	fake.owed_pc = 2;
	fake.owed = 3;
	ok(pcsample(NULL, 0) == 4 && samples[3] == 2,
	   "ticks that are owed when it is turned off are stored and returned");
}

int main(void)
{
	first_call();
	order();
	unadulterated();
	full();
	weights();
	faults();
	bad_calls();
	large();
	what_is_owed();
	return tap_done();
}
