/* SPDX-License-Identifier: MIT
 *
 * The Solaris dialect, row by row of the table in profil(3).
 */
#define PROFIL_DIALECT PROFIL_SOLARIS
#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)
DEFINE_BURNER(burn_elsewhere)

#define BINS 2048

static unsigned short buf[BINS];

static void counts(void)
{
	profil(buf, sizeof(buf), (unsigned long)burn, 65536);
	burn(0.15);
	profil(buf, sizeof(buf), (unsigned long)burn, 0);
	ok(sum16(buf, BINS) >= 24 && sum16(buf, BINS) <= 31,
	   "0.15 s at 200 Hz are about 30 samples: %lu", sum16(buf, BINS));
	memset(buf, 0, sizeof(buf));
	burn(0.05);
	ok(sum16(buf, BINS) == 0, "scale 0 is off");

	profil(buf, sizeof(buf), (unsigned long)burn, 65536);
	profil(buf, sizeof(buf), (unsigned long)burn, 1);
	burn(0.05);
	ok(sum16(buf, BINS) == 0 && !clock_now().running, "scale 1 is off");
}

static void scale_two(void)
{
	unsigned long offset = (unsigned long)burn & ~0xffffUL;

	memset(buf, 0, sizeof(buf));
	profil(buf, sizeof(buf), offset, 2);
	burn(0.125); /* of 25 ticks, 4 may wait: see burn_in_kernel() */
	profil(buf, 0, 0, 0);
	if (is_emulated())
		skip("scale 2", NEAR_LIBRARIES);
	else
		ok(buf[0] >= 18 && sum16(buf + 2, BINS - 2) == 0,
		   "scale 2: 65536 bytes of text a bin");
}

static void large_scale(void)
{
	memset(buf, 0, sizeof(buf));
	profil(buf, sizeof(buf), (unsigned long)burn, 131072);
	burn(0.1);
	profil(buf, 0, 0, 0);
	ok(sum16(buf, BINS) > 0, "there is no limit to the scale");
}

static void no_buffer(void)
{
	memset(buf, 0, sizeof(buf));
	errno = 4711;
	profil(buf, 0, (unsigned long)burn, 65536);
	burn(0.05);
	profil(buf, 0, 0, 0);
	ok(sum16(buf, BINS) == 0, "bufsiz 0 makes it ineffective");
	profil((unsigned short *)16, 100, 0, 65536);
	profil(buf, 0, 0, 0);
	ok(errno == 4711, "the call returns nothing, not even errno");
}

static void stops_when_full(void)
{
	unsigned short full;

	memset(buf, 0, sizeof(buf));
	buf[0] = 32760;
	profil(buf, 4, (unsigned long)burn & ~0xffffUL, 2);
	burn(0.15);
	full = buf[0];
	ok(full == 32767, "a counter stops at 32767: %u", full);
	ok(!clock_now().running, "and with it profiling of the whole process");
	buf[0] = 0;
	burn(0.05);
	burn_elsewhere(0.05);
	profil(buf, 0, 0, 0);
	ok(sum16(buf, BINS) == 0, "nothing more is written");
}

static void forks(void)
{
	int status;
	pid_t child;

	memset(buf, 0, sizeof(buf));
	profil(buf, sizeof(buf), (unsigned long)burn, 65536);
	child = fork();
	if (child == 0) {
		burn(0.15);
		profil(buf, 0, 0, 0);
		_exit(sum16(buf, BINS) >= 24 && sum16(buf, BINS) <= 32 ? 0 : 1);
	}
	burn(0.15);
	waitpid(child, &status, 0);
	profil(buf, 0, 0, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "goes on in the child");
	ok(sum16(buf, BINS) >= 24, "and in the parent");
}

int main(void)
{
	/* Half of the time at twice the usual rate is as many ticks. */
	setenv("PROFIL_HZ", "200", 1);
	counts();
	scale_two();
	large_scale();
	no_buffer();
	stops_when_full();
	forks();
	return tap_done();
}
