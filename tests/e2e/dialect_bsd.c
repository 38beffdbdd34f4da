/* SPDX-License-Identifier: MIT
 *
 * The BSD dialect, row by row of the table in profil(3).
 */
#define PROFIL_DIALECT PROFIL_BSD
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define BINS 2048

static unsigned short buf[BINS + 1];

static char *bytes(void)
{
	return (char *)buf;
}

static void counts(void)
{
	ok(profil(bytes(), BINS * 2, (unsigned long)burn, 65536) == 0, "profil() returns 0");
	burn(0.15);
	ok(profil(bytes(), BINS * 2, (unsigned long)burn, 0) == 0, "scale 0 turns it off");
	ok(sum16(buf, BINS) >= 24 && sum16(buf, BINS) <= 31,
	   "0.15 s at 200 Hz are about 30 samples: %lu", sum16(buf, BINS));
	memset(buf, 0, sizeof(buf));
	burn(0.05);
	ok(sum16(buf, BINS) == 0, "off is off");
}

static void one_bin_for_all(void)
{
	/* The smallest scale: 128 KiB of text a bin. */
	memset(buf, 0, sizeof(buf));
	profil(bytes(), BINS * 2, (unsigned long)burn & ~0xffffUL, 1);
	burn(0.125); /* of 25 ticks, 4 may wait: see burn_in_kernel() */
	profil(NULL, 0, 0, 0);
	if (is_emulated())
		skip("scale 1", NEAR_LIBRARIES);
	else
		ok(buf[0] + buf[1] >= 18 && sum16(buf + 2, BINS - 2) == 0,
		   "scale 1: 0.125 s are about 25 samples in two bins: %d, and %lu in others",
		   buf[0] + buf[1], sum16(buf + 2, BINS - 2));
}

static void odd_address(void)
{
	memset(buf, 0, sizeof(buf));
	ok(profil(bytes() + 1, 2, 0, 1) == 0, "the buffer is a char * and may be odd");
	profil(bytes() + 1, 2 * BINS - 2, (unsigned long)burn, 65536);
	burn(0.1);
	profil(NULL, 0, 0, 0);
	ok(bytes()[0] == 0 && sum16(buf, BINS) > 0, "counts there");
}

static void ineffective_sizes(void)
{
	memset(buf, 0, sizeof(buf));
	ok(profil(bytes(), 0, (unsigned long)burn, 65536) == 0, "size 0 is accepted");
	burn(0.05);
	ok(profil(bytes(), 1, (unsigned long)burn, 65536) == 0, "size 1 is accepted");
	burn(0.05);
	ok(clock_now().running == 1, "it runs");
	profil(NULL, 0, 0, 0);
	ok(sum16(buf, BINS) == 0, "and counts nothing");
}

static void wraps(void)
{
	memset(buf, 0xff, sizeof(buf)); /* whichever bins are hit wrap to small numbers */
	profil(bytes(), BINS * 2, (unsigned long)burn, 65536);
	burn(0.1);
	profil(NULL, 0, 0, 0);
	for (size_t i = 0; i < BINS; i++)
		if (buf[i] != 0xffff) {
			ok(buf[i] < 1000, "65535 + 1 = 0");
			return;
		}
	ok(false, "no bin was hit");
}

static void errors(void)
{
	char *gone = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(gone + 4096, 4096);
	memset(buf, 0, sizeof(buf));
	profil(bytes(), BINS * 2, (unsigned long)burn, 65536);
	errno = 0;
	ok(profil(bytes(), BINS * 2, (unsigned long)burn, 65537) == -1 && errno == EINVAL,
	   "scale 65537 is EINVAL");
	burn(0.05);
	ok(clock_now().running && sum16(buf, BINS) > 0, "and what ran goes on");
	errno = 0;
	ok(profil(gone, 8192, (unsigned long)burn, 65536) == -1 && errno == EFAULT,
	   "a buffer whose second page is not there is EFAULT");
	ok(!clock_now().running, "and profiling is terminated");
	errno = 0;
	ok(profil(NULL, 100, (unsigned long)burn, 65536) == -1 && errno == EFAULT, "so is NULL");
	ok(profil(gone, 4096, (unsigned long)burn, 65536) == 0, "the page that is there will do");
	profil(NULL, 0, 0, 0);
	munmap(gone, 4096);
}

static void forks(void)
{
	int status;
	pid_t child;

	memset(buf, 0, sizeof(buf));
	profil(bytes(), BINS * 2, (unsigned long)burn, 65536);
	child = fork();
	if (child == 0) {
		burn(0.15);
		profil(NULL, 0, 0, 0);
		_exit(sum16(buf, BINS) >= 24 && sum16(buf, BINS) <= 32 ? 0 : 1);
	}
	burn(0.15);
	waitpid(child, &status, 0);
	profil(NULL, 0, 0, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "goes on in the child");
	ok(sum16(buf, BINS) >= 24 && sum16(buf, BINS) <= 32,
	   "and in the parent, each in its own buffer: %lu", sum16(buf, BINS));
}

int main(void)
{
	/* Half of the time at twice the usual rate is as many ticks. */
	setenv("PROFIL_HZ", "200", 1);
	counts();
	one_bin_for_all();
	odd_address();
	ineffective_sizes();
	wraps();
	errors();
	forks();
	return tap_done();
}
