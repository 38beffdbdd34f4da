/* SPDX-License-Identifier: MIT
 *
 * The Linux dialect, row by row of the table in profil(3).
 */
#include <string.h>
#include <sys/wait.h>

#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define BINS 2048 /* one page of text, two bytes a bin */

static unsigned short buf[BINS + 8], other[BINS + 8];

static int profile_burn(unsigned short *where, size_t bytes)
{
	return profil(where, bytes, (size_t)burn, 65536);
}

static void counts_where_it_burns(void)
{
	struct profil_clock_info info;

	ok(profile_burn(buf, BINS * 2) == 0, "profil() returns 0");
	burn(0.5);
	ok(profil(NULL, 0, 0, 0) == 0, "profil(NULL) returns 0");
	info = clock_now();
	ok(sum16(buf, BINS) + info.outside == info.samples,
	   "every sample is in the buffer or outside");
	/* 50 are due; a histogram of one page at 100 Hz misses at most a few in the clock's own
	 * code. */
	ok(sum16(buf, BINS) >= 40 && sum16(buf, BINS) <= 51,
	   "0.5 s of CPU time are about 50 samples: %lu", sum16(buf, BINS));
}

static void off_means_off(void)
{
	memset(buf, 0, sizeof(buf));
	burn(0.05);
	ok(sum16(buf, BINS) == 0, "nothing is counted after profil(NULL)");
	ok(profil(NULL, 0, 0, 0) == 0, "turning it off twice is fine");
	ok(clock_now().running == 0, "profil_clock_info() says it does not run");
}

static void sizes(void)
{
	memset(buf, 0, sizeof(buf));
	ok(profil(buf, 0, 0, 0) == 0, "bufsiz 0 is accepted");
	burn(0.05);
	ok(profil(buf, 1, 0, 0) == 0, "bufsiz 1 is accepted");
	burn(0.05);
	ok(clock_now().running, "it runs");
	profil(NULL, 0, 0, 0);
	ok(sum16(buf, BINS) == 0, "and counts nothing");

	ok(profil(buf, 3, 0, 0) == 0, "bufsiz 3");
	burn(0.05);
	profil(NULL, 0, 0, 0);
	ok(buf[0] > 0 && buf[1] == 0, "holds one counter, not one and a half");
}

/* Spins in a loop of a few bytes of text, which nearly all ticks fall into. */
__attribute__((noinline)) static void turn(void)
{
	for (volatile int i = 0; i < 20000; i++)
		;
}

static void odd_end(void)
{
	unsigned char *bytes = (unsigned char *)buf;
	unsigned long counted = 0;

	/* Text of turn() falls into bins 0..~20: make the last of an odd-sized buffer one of those.
	 * 12 ms are twelve ticks, or one on clocks that wait for the kernel's own, of 10 ms at
	 * most. */
	setenv("PROFIL_HZ", "1000", 1);
	for (size_t size = 3; size < 120; size += 2) {
		double end = thread_cpu() + 0.012;

		memset(buf, 0, sizeof(buf));
		profil(buf, size, (size_t)turn, 65536);
		while (thread_cpu() < end)
			turn();
		profil(NULL, 0, 0, 0);
		counted += sum16(buf, size / 2);
		for (size_t i = size - 1; i < sizeof(buf); i++)
			if (bytes[i]) {
				ok(false, "bufsiz %zu wrote to byte %zu", size, i);
				return;
			}
	}
	setenv("PROFIL_HZ", "200", 1);
	ok(counted > 0, "an odd bufsiz is rounded down: %lu ticks before the end", counted);
}

static void scales(void)
{
	memset(buf, 0, sizeof(buf));
	ok(profil(buf, sizeof(buf), 0, 0) == 0, "scale 0 is accepted");
	burn(0.125); /* of 25 ticks, 4 may wait: see burn_in_kernel() */
	profil(NULL, 0, 0, 0);
	ok(buf[0] >= 18 && sum16(buf + 1, BINS - 1) == 0, "and counts everything into bin 0: %u",
	   buf[0]);

	memset(buf, 0, sizeof(buf));
	ok(profil(buf, sizeof(buf), (size_t)burn, 2 * 65536) == 0, "scale 131072 returns 0");
	burn(0.1);
	profil(NULL, 0, 0, 0);
	ok(sum16(buf, BINS) > 0, "and counts");
	for (size_t i = 1; i < BINS; i += 2)
		if (buf[i]) {
			ok(false, "at that scale odd bins stay empty, but not bin %zu", i);
			return;
		}
	ok(true, "at that scale odd bins stay empty");

	memset(buf, 0, sizeof(buf));
	profil(buf, sizeof(buf), (size_t)burn, 32768);
	burn(0.1);
	profil(NULL, 0, 0, 0);
	ok(sum16(buf, BINS) > 0 && sum16(buf + BINS / 2, BINS / 2) == 0,
	   "scale 32768: 4 bytes of text a bin");
}

static void below_the_offset(void)
{
	memset(buf, 0, sizeof(buf));
	profil(buf, sizeof(buf), (size_t)burn + 4096, 65536);
	burn(0.1);
	profil(NULL, 0, 0, 0);
	ok(sum16(buf, BINS) == 0 && clock_now().outside >= 18, "a pc below the offset is dropped");
}

static void wraps(void)
{
	buf[0] = 65530;
	profil(buf, 2, 0, 0);
	burn(0.075);
	profil(NULL, 0, 0, 0);
	ok(buf[0] < 100, "65535 + 1 = 0: %u", buf[0]);
}

static void calling_again_replaces(void)
{
	unsigned long before;

	memset(buf, 0, sizeof(buf));
	memset(other, 0, sizeof(other));
	profile_burn(buf, BINS * 2);
	burn(0.05);
	ok(profile_burn(other, BINS * 2) == 0, "calling it again while on returns 0");
	before = sum16(buf, BINS);
	burn(0.05);
	profil(NULL, 0, 0, 0);
	ok(before > 0 && sum16(buf, BINS) == before, "the first buffer is left alone from then on");
	ok(sum16(other, BINS) > 0, "the second one is used");
}

static void forks(void)
{
	int status;
	pid_t child;

	memset(buf, 0, sizeof(buf));
	profile_burn(buf, BINS * 2);
	child = fork();
	if (child == 0) {
		burn(0.05);
		if (sum16(buf, BINS))
			_exit(1);
		profile_burn(buf, BINS * 2);
		burn(0.05);
		profil(NULL, 0, 0, 0);
		_exit(sum16(buf, BINS) ? 0 : 2);
	}
	burn(0.1);
	waitpid(child, &status, 0);
	profil(NULL, 0, 0, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) != 1, "a child is not sampled by itself");
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "but is when it calls profil() again");
	ok(sum16(buf, BINS) >= 15, "the parent goes on: %lu", sum16(buf, BINS));
}

int main(void)
{
	counts_where_it_burns();
	/* From here on, half of the time at twice the usual rate is as many ticks. */
	setenv("PROFIL_HZ", "200", 1);
	off_means_off();
	sizes();
	odd_end();
	scales();
	below_the_offset();
	wraps();
	calling_again_replaces();
	forks();
	return tap_done();
}
