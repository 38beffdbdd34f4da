/* SPDX-License-Identifier: MIT
 *
 * sprofil(): regions, and each of the faults that glibc's own has.
 */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "held.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn_a)
DEFINE_BURNER(burn_b)
DEFINE_BURNER(burn_c)

#define BINS 2048

static unsigned short a[BINS], b[BINS], c[BINS], rest[1];
static unsigned int wide[1024];
static struct timeval tick;

static struct prof region(void *base, size_t size, void (*function)(double), unsigned long scale)
{
	return (struct prof){ base, size, (size_t)function, scale };
}

static struct prof overflow(void *base, size_t size)
{
	return (struct prof){ base, size, 0, 2 };
}

static void clear(void)
{
	memset(a, 0, sizeof(a));
	memset(b, 0, sizeof(b));
	memset(c, 0, sizeof(c));
	memset(wide, 0, sizeof(wide));
	rest[0] = 0;
}

static int off(void)
{
	return sprofil(NULL, 0, NULL, 0);
}

static void three_regions(void)
{
	struct prof regions[] = { region(a, sizeof(a), burn_a, 65536), overflow(rest, sizeof(rest)),
				  region(b, sizeof(b), burn_b, 65536) };

	ok(sprofil(regions, 3, &tick, PROF_USHORT) == 0, "sprofil() returns 0");
	ok(tick.tv_sec == 0 && tick.tv_usec == 10000, "tvp gets the tick: 10 ms");
	burn_a(0.3);
	burn_b(0.2);
	burn_c(0.1);
	ok(off() == 0, "profcnt 0 turns it off");
	/* Real ticks, not glibc's microsecond timer; the clock's own code goes to the overflow. */
	ok(sum16(a, BINS) >= 24 && sum16(a, BINS) <= 31, "first region: %lu of 30", sum16(a, BINS));
	ok(sum16(b, BINS) >= 15 && sum16(b, BINS) <= 21, "second region: %lu of 20",
	   sum16(b, BINS));
	ok(rest[0] >= 8 && rest[0] <= 20, "overflow: %u of 10", rest[0]);
	ok(sum16(a, BINS) + sum16(b, BINS) + rest[0] == clock_now().samples, "nothing is missing");
}

static void again_and_again(void)
{
	struct prof one = region(a, sizeof(a), burn_a, 65536),
		    two = region(b, sizeof(b), burn_a, 65536);
	int held = held_by_process(), failed = 0;
	unsigned long before;

	for (int i = 0; i < 100; i++) {
		failed += sprofil(&one, 1, NULL, 0) != 0;
		failed += off() != 0;
	}
	ok(failed == 0 && !clock_now().running, "on and off a hundred times");
	ok(held_by_process() == held, "no descriptor or timer stays behind");
	before = sum16(a, BINS);
	burn_a(0.025);
	ok(sum16(a, BINS) == before, "nothing is counted while it is off");
	ok(off() == 0, "off when it is off");
	clear();
	sprofil(&one, 1, NULL, 0);
	burn_a(0.05);
	ok(sprofil(&two, 1, NULL, 0) == 0, "calling it while on");
	before = sum16(a, BINS);
	burn_a(0.05);
	off();
	ok(before > 0 && sum16(a, BINS) == before && sum16(b, BINS) > 0, "replaces the setting");
}

static void below_the_lowest(void)
{
	struct prof high = region(a, sizeof(a), NULL, 65536);

	clear();
	high.pr_off = (size_t)-8192;
	sprofil(&high, 1, NULL, 0);
	burn_a(0.05);
	off();
	ok(sum16(a, BINS) == 0, "a pc below the lowest region is in no region");
}

static void first_sample_after_a_change(void)
{
	struct prof regions[] = { region(a, sizeof(a), burn_a, 65536),
				  region(b, sizeof(b), burn_b, 65536),
				  overflow(rest, sizeof(rest)) };

	clear();
	sprofil(regions, 3, NULL, 0);
	for (int i = 0; i < 15; i++) {
		burn_a(0.01);
		burn_b(0.01);
	}
	off();
	/* glibc sends one sample to the overflow for each of the 30 changes. */
	ok(rest[0] < 15, "a change of region costs no sample: %u of %llu outside", rest[0],
	   clock_now().samples);
}

static void odd_scales(void)
{
	static const unsigned long scales[] = { 3,     7,     1000,   12345, 30000,
						65535, 65537, 100000, 200000 };

	int counting = 0, refused = 0;
	const int all = sizeof(scales) / sizeof(scales[0]);

	for (int i = 0; i < all; i++) {
		struct prof odd = region(a, sizeof(a), burn_a, scales[i]);

		clear();
		refused += sprofil(&odd, 1, NULL, 0) != 0;
		burn_a(0.03);
		off();
		counting += sum16(a, BINS) > 0;
	}
	ok(refused == 0 && counting == all, "%d of %d odd scales count", counting, all);
}

static void wide_counters(void)
{
	struct prof w = region(wide, sizeof(wide), burn_a, 65536);
	unsigned long sum = 0;

	clear();
	sprofil(&w, 1, NULL, PROF_UINT);
	burn_a(0.1);
	off();
	for (size_t i = 0; i < 1024; i++)
		sum += wide[i];
	ok(sum >= 15 && sum <= 21, "PROF_UINT counts in 32 bits: %lu of 20", sum);
}

static void saturates(void)
{
	struct prof o = overflow(rest, sizeof(rest));

	rest[0] = 65530;
	sprofil(&o, 1, NULL, 0);
	burn_a(0.1);
	off();
	ok(rest[0] == 65535, "counters saturate: %u", rest[0]);
}

static void overlapping(void)
{
	/* All of the text up to burn_b's page and beyond, and on top of it burn_b's own page. */
	struct prof regions[] = { { a, sizeof(a), (size_t)burn_b - 8192, 65536 / 8 },
				  region(b, sizeof(b), burn_b, 65536) };

	clear();
	sprofil(regions, 2, NULL, 0);
	burn_b(0.1);
	off();
	ok(sum16(b, BINS) >= 15, "the region that starts higher has the range: %lu",
	   sum16(b, BINS));
	ok(sum16(a, BINS) <= 6, "the other one does not: %lu", sum16(a, BINS));
}

static void bad_arguments(void)
{
	errno = 0;
	ok(sprofil(NULL, 3, NULL, 0) == -1 && errno == EINVAL,
	   "no regions where three are promised: EINVAL");
	errno = 0;
	ok(sprofil(NULL, -1, NULL, 0) == -1 && errno == EINVAL, "fewer than none: EINVAL");
}

int main(void)
{
	three_regions();
	/* From here on, half of the time at twice the usual rate is as many ticks. */
	setenv("PROFIL_HZ", "200", 1);
	again_and_again();
	below_the_lowest();
	first_sample_after_a_change();
	odd_scales();
	wide_counters();
	saturates();
	overlapping();
	bad_arguments();
	return tap_done();
}
