/* SPDX-License-Identifier: MIT
 *
 * pcsample() as Solaris documents it.
 */
#include <errno.h>
#include <pcsample.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)
DEFINE_BURNER(burn_later)

#define MANY 1000

static uintptr_t pcs[MANY];

static bool in(uintptr_t pc, void (*function)(double))
{
	return pc - (uintptr_t)function < 4096;
}

/* The usual rate; later points have half of the time at twice the rate, which is as many ticks. */
static double hz = 100;

/* Ends a burn with time in system calls: see burn_in_kernel(). */
#define KERNEL_S (5 / hz)

static bool is_about(int n, double seconds, int tolerance)
{
	return n >= seconds * hz - tolerance && n <= seconds * hz + tolerance;
}

static void stores_and_returns(void)
{
	int n, first = 0, later = 0, mixed = 0;

	ok(pcsample(pcs, MANY) == 0, "the first call returns 0");
	burn(0.3);
	burn_later(0.3);
	burn_in_kernel(KERNEL_S);
	n = pcsample(NULL, 0);
	ok(is_about(n, 0.6 + KERNEL_S, 2), "0.65 s are about 65 samples: %d", n);
	ok(pcsample(NULL, 0) == 0, "the count is returned once");
	for (int i = 0; i < n; i++) {
		first += in(pcs[i], burn);
		later += in(pcs[i], burn_later);
		mixed += in(pcs[i], burn) && later > 0;
	}
	ok(first >= 24 && later >= 24, "they are the pcs of where it was: %d, %d", first, later);
	ok(mixed == 0, "in the order of the ticks");
	ok(pcs[n] == 0, "nothing is written behind them");
}

static void stops_when_full(void)
{
	double before = process_cpu(), late;

	memset(pcs, 0, sizeof(pcs));
	pcsample(pcs, 60);
	while (clock_now().running && process_cpu() - before < 3)
		burn(0.005);
	/* 60 samples at 100 a second. Perf without the kernel may have up to five ticks
	 * outstanding. */
	late = strcmp(clock_now().clock, "perf") == 0 &&
			       strcmp(clock_now().system_time, "timer") == 0
		       ? 0.055
		       : 0.02;
	ok(process_cpu() - before >= 0.58 && process_cpu() - before <= 0.6 + late,
	   "full after nsamples / CLK_TCK of CPU time: %.3f s", process_cpu() - before);
	burn(0.1);
	ok(pcs[59] != 0 && pcs[60] == 0, "60 are stored and no more");
	ok(pcsample(NULL, 0) == 60, "the next call returns 60");
	ok(pcsample(NULL, 0) == 0, "and the one after that 0");
}

static void negative(void)
{
	pcsample(pcs, MANY);
	burn(0.05);
	errno = 0;
	ok(pcsample(pcs, -1) == -1 && errno == EINVAL, "a negative nsamples is EINVAL");
	ok(clock_now().running, "and what runs goes on");
	burn(0.05);
	ok(pcsample(NULL, 0) >= 18, "to its end");
}

static void again_while_on(void)
{
	uintptr_t second[MANY];
	int n;

	pcsample(pcs, MANY);
	burn(0.1);
	burn_in_kernel(KERNEL_S);
	n = pcsample(second, MANY);
	ok(is_about(n, 0.1 + KERNEL_S, 2), "starting anew returns what was stored: %d", n);
	burn(0.05);
	burn_in_kernel(KERNEL_S);
	n = pcsample(NULL, 0);
	ok(is_about(n, 0.05 + KERNEL_S, 2), "the new one starts at 0: %d", n);
}

static void *burn_in_thread(void *unused)
{
	burn(0.125);
	return unused;
}

static void all_threads(void)
{
	pthread_t threads[4];
	double cpu;
	int n;

	pcsample(pcs, MANY);
	cpu = process_cpu();
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, burn_in_thread, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	cpu = process_cpu() - cpu;
	n = pcsample(NULL, 0);
	ok(near(n, cpu * hz, 0.06), "all threads go into one array: %d of %.0f", n, cpu * hz);
}

static void goes_bad(void)
{
	uintptr_t *gone =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t in_page = 4096 / sizeof(*gone);
	uintptr_t *start = gone + in_page - 10;

	munmap(gone + in_page, 4096);
	pcsample(start, MANY);
	burn(0.15);
	ok(!clock_now().running, "an array that ends early ends sampling");
	ok(pcsample(NULL, 0) == 10, "and what was stored is returned");
	ok(pcsample(NULL, 0) == 0, "once");
	munmap(gone, 4096);
}

static void forks(void)
{
	int n, status;
	pid_t child;

	pcsample(pcs, MANY);
	burn(0.1);
	burn_in_kernel(KERNEL_S);
	child = fork();
	if (child == 0) {
		burn(0.1);
		burn_in_kernel(KERNEL_S);
		n = pcsample(NULL, 0);
		_exit(is_about(n, 0.2 + 2 * KERNEL_S, 3) ? 0 : 1);
	}
	burn(0.05);
	burn_in_kernel(KERNEL_S);
	waitpid(child, &status, 0);
	n = pcsample(NULL, 0);
	ok(WIFEXITED(status) && WEXITSTATUS(status) == 0,
	   "a child goes on from the parent's count");
	ok(is_about(n, 0.15 + 2 * KERNEL_S, 3), "and the parent from its own: %d", n);
}

static void shares_with_profil_solaris(void)
{
	static unsigned short buf[2048];

	pcsample(pcs, MANY);
	burn(0.05);
	profil_solaris(buf, sizeof(buf), (unsigned long)burn, 65536);
	ok(pcsample(NULL, 0) >= 8, "profil() ends pcsample()");
	profil_solaris(buf, sizeof(buf), (unsigned long)burn, 65536);
	pcsample(pcs, MANY);
	memset(buf, 0, sizeof(buf));
	burn(0.05);
	pcsample(NULL, 0);
	ok(sum16(buf, 2048) == 0, "pcsample() ends profil()");
}

int main(void)
{
	stores_and_returns();
	stops_when_full();
	setenv("PROFIL_HZ", "200", 1);
	hz = 200;
	negative();
	again_while_on();
	all_threads();
	goes_bad();
	forks();
	shares_with_profil_solaris();
	return tap_done();
}
