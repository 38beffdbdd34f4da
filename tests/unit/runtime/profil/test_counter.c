/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <string.h>

#include "../../pages.h"
#include "runtime/profil/counter.h"
#include "tap.h"

static uint16_t read16(const void *at)
{
	uint16_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static uint32_t read32(const void *at)
{
	uint32_t value;

	memcpy(&value, at, sizeof(value));
	return value;
}

static void write16(void *at, uint16_t value)
{
	memcpy(at, &value, sizeof(value));
}

static void write32(void *at, uint32_t value)
{
	memcpy(at, &value, sizeof(value));
}

/* The results of each function on a counter with the value `old`; it may be misaligned. */

static uint16_t wrapping16(char *at, uint16_t old, uint64_t n)
{
	write16(at, old);
	if (!counter_add_wrapping16(at, n))
		bail_out("good memory was refused");
	return read16(at);
}

static uint16_t limited16(char *at, uint16_t old, uint64_t n, uint16_t limit)
{
	uint16_t sum = 0;

	write16(at, old);
	if (!counter_add_limited16(at, n, limit, &sum))
		bail_out("good memory was refused");
	if (sum != read16(at))
		bail_out("the sum that was reported is not the one that was stored");
	return sum;
}

static uint32_t limited32(char *at, uint32_t old, uint64_t n, uint32_t limit)
{
	uint32_t sum = 0;

	write32(at, old);
	if (!counter_add_limited32(at, n, limit, &sum))
		bail_out("good memory was refused");
	if (sum != read32(at))
		bail_out("the sum that was reported is not the one that was stored");
	return sum;
}

static void sums(char *at, const char *where)
{
	ok(wrapping16(at, 0, 1) == 1 && wrapping16(at, 65534, 1) == 65535,
	   "%s: one and one are two", where);
	ok(wrapping16(at, 65535, 1) == 0, "%s: 65535 + 1 wraps to 0", where);
	ok(wrapping16(at, 65000, 1000) == 464 && wrapping16(at, 7, 65536) == 7 &&
		   wrapping16(at, 7, UINT64_C(1) << 40 | 3) == 10,
	   "%s: a weight wraps like so many ones", where);

	ok(limited16(at, 32765, 1, 32767) == 32766 && limited16(at, 32766, 1, 32767) == 32767,
	   "%s: a count reaches its limit", where);
	ok(limited16(at, 32767, 1, 32767) == 32767 && limited16(at, 5, 40000, 32767) == 32767,
	   "%s: and does not pass it, not by a weight either", where);
	ok(limited16(at, 40000, 1, 32767) == 40000, "%s: one that is above already stays", where);

	ok(limited16(at, 65534, 1, UINT16_MAX) == 65535 &&
		   limited16(at, 65535, 1, UINT16_MAX) == 65535 &&
		   limited16(at, 65535, UINT64_MAX, UINT16_MAX) == 65535,
	   "%s: 16 bits saturate at 65535", where);
	ok(limited32(at, 65535, 1, UINT32_MAX) == 65536 &&
		   limited32(at, UINT32_MAX - 1, 1, UINT32_MAX) == UINT32_MAX,
	   "%s: 32 bits count on", where);
	ok(limited32(at, UINT32_MAX, 1, UINT32_MAX) == UINT32_MAX &&
		   limited32(at, 1, UINT64_MAX, UINT32_MAX) == UINT32_MAX,
	   "%s: and saturate at 2^32 - 1", where);
}

/* Checks the bytes on both sides of the counter at pages[at]. */
static void neighbours(char *pages, size_t at, const char *where)
{
	char expected[32];
	char *around = pages + at - 14;

	memset(around, 0x5a, sizeof(expected));
	memset(expected, 0x5a, sizeof(expected));
	wrapping16(pages + at, 65535, 1);
	write16(expected + 14, 0);
	limited16(pages + at + 4, 65535, 2, UINT16_MAX);
	write16(expected + 18, UINT16_MAX);
	limited32(pages + at + 8, UINT32_MAX, 2, UINT32_MAX);
	write32(expected + 22, UINT32_MAX);
	ok(memcmp(around, expected, sizeof(expected)) == 0, "%s: neighbours are untouched", where);
}

/* Returns whether all three functions refuse the counter at `at`. */
static bool refused(char *at)
{
	uint16_t sum16;
	uint32_t sum32;

	return !counter_add_wrapping16(at, 1) && !counter_add_limited16(at, 1, 9, &sum16) &&
	       !counter_add_limited32(at, 1, 9, &sum32);
}

static void bad_memory(void)
{
	char *pages = pages_new(3);
	char *second = pages + page_size(), *third = second + page_size();

	ok(refused(NULL), "NULL is refused");
	ok(refused((char *)UINTPTR_MAX), "the last address there is is refused");
	pages_protect(second, 1, PROT_READ);
	ok(refused(second) && refused(second + 1) && read32(second) == 0,
	   "memory that is read-only is refused");
	pages_protect(second, 1, PROT_NONE);
	ok(refused(second), "memory without any permission is refused");
	ok(refused(second - 1), "a counter that begins on a good page and ends on a bad one too");
	ok(second[-1] == 0, "and its good half is untouched");
	ok(refused(third - 1), "the other way round too");
	ok(third[0] == 0, "and its good half is untouched");
	pages_unmap(second, 1);
	ok(refused(second), "memory that is not there is refused");
	ok(refused(second - 1), "also for the second half of a counter");
	ok(!refused(second - 4), "the last good counter before it is not");
	ok(refused(pages_of_truncated_file()), "a mapped file that was cut off is refused");
}

/* ---- threads ---- */

#define THREADS 4
#define TURNS   100000

static struct {
	uint32_t saturating32;
	uint16_t wrapping16, saturating16, solaris16;
} shared;

static void *count_up(void *unused)
{
	uint32_t sum32;
	uint16_t sum16;

	(void)unused;
	for (int i = 0; i < TURNS; i++) {
		counter_add_wrapping16(&shared.wrapping16, 1);
		counter_add_limited32(&shared.saturating32, 1, UINT32_MAX, &sum32);
	}
	for (int i = 0; i < TURNS / 5; i++) {
		counter_add_limited16(&shared.saturating16, 1, UINT16_MAX, &sum16);
		counter_add_limited16(&shared.solaris16, 2, 32767, &sum16);
	}
	return NULL;
}

static void many_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count_up, NULL))
			bail_out("no threads to test with");
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(shared.wrapping16 == (uint16_t)(THREADS * TURNS),
	   "%d threads that add %d times each lose nothing in 16 bits", THREADS, TURNS);
	ok(shared.saturating32 == THREADS * TURNS, "nor in 32 bits");
	ok(shared.saturating16 == UINT16_MAX, "and stop at 65535");
	ok(shared.solaris16 == 32767, "and at 32767");
}

int main(void)
{
	char *pages = pages_new(2);
	size_t edge = page_size();

	sums(pages + 64, "aligned");
	sums(pages + 65, "at an odd address");
	sums(pages + 66, "at half of 32 bits");
	sums(pages + edge - 1, "across a page");
	sums(pages + edge - 3, "with its last byte on the next page");
	neighbours(pages, 64, "aligned");
	neighbours(pages, 65, "at an odd address");
	neighbours(pages, edge - 1, "across a page");
	bad_memory();
	many_threads();
	return tap_done();
}
