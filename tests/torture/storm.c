/* SPDX-License-Identifier: MIT
 *
 * Everything at once, at 5000 Hz: threads that turn profiling on and off in all its forms, threads
 * that are born and end, children that are forked and exec, and a signal handler that calls
 * pcsample() (which is async-signal-safe) every 100 us. Nothing may crash, hang or leak; at
 * the end, profiling still works.
 *
 * A handler that takes longer than the interval leaves no time to the thread that it interrupts:
 * the next signal is pending when it returns. On the perf clock of x86-64, 20 us are too few. So
 * the interval doubles where main() is starved, as it may be in an emulator.
 */
#include <pcsample.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define SECONDS 2

/* Calls on main() within one round of its loop. A round takes 10 ms of its CPU time, in which 100
 * signals are due. */
#define STARVED 1000

static volatile bool over;
static volatile unsigned long switches, births, forks, handled;
static unsigned short bins[2048];
static uintptr_t pcs[256];

static volatile int interval_us = 100;
static volatile unsigned int in_round; /* calls on main() since its last round began */
static _Thread_local bool is_main;

static void *switch_settings(void *unused)
{
	unsigned int seed = (unsigned int)(size_t)&unused;
	struct prof regions[] = { { bins, sizeof(bins), (size_t)burn, 65536 }, { bins, 2, 0, 2 } };

	while (!over) {
		switch (rand_r(&seed) % 7) {
		case 0:
			profil_linux(bins, sizeof(bins), (size_t)burn, 65536);
			break;
		case 1:
			profil_bsd((char *)bins, sizeof(bins), (unsigned long)burn, 65536);
			break;
		case 2:
			profil_solaris(bins, sizeof(bins), (unsigned long)burn, 65536);
			break;
		case 3:
			sprofil(regions, 2, NULL, 0);
			break;
		case 4:
			pcsample(pcs, 256);
			break;
		case 5:
			count_nothing();
			break;
		case 6:
			clock_now();
			break;
		}
		switches++;
		usleep(rand_r(&seed) % 500);
	}
	return NULL;
}

static void *live_briefly(void *unused)
{
	for (volatile int i = 0; i < 100000; i++)
		;
	return unused;
}

static void *bear_threads(void *unused)
{
	while (!over) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, live_briefly, NULL) == 0) {
			births++;
			pthread_join(thread, NULL);
		}
	}
	return unused;
}

static void *bear_children(void *unused)
{
	while (!over) {
		pid_t child = fork();
		int status;

		if (child == 0) {
			burn(0.001);
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
			note("a child ended with status %#x", (unsigned int)status);
			over = true;
			return (void *)1;
		}
		forks++;
	}
	return unused;
}

static void start_alarms(void)
{
	struct itimerval often = { { 0, interval_us }, { 0, interval_us } };

	setitimer(ITIMER_REAL, &often, NULL);
}

static void on_alarm(int sig)
{
	(void)sig;
	handled++;
	if (is_main && ++in_round == STARVED && !over) {
		in_round = 0;
		interval_us *= 2;
		start_alarms();
	}
	if (handled % 3 == 0)
		pcsample(NULL, 0);
	else
		pcsample(pcs, 256);
}

static bool all_took_part(void)
{
	return switches > 100 && births > 100 && forks > 20 && handled > 300;
}

int main(void)
{
	struct itimerval never = { 0 };
	struct sigaction act = { .sa_handler = on_alarm, .sa_flags = SA_RESTART };
	void *(*const work[])(void *) = { switch_settings, switch_settings, bear_threads,
					  bear_children };
	pthread_t threads[4];
	unsigned short seen;
	void *result;
	double end = seconds_on(CLOCK_MONOTONIC) + SECONDS, cpu, due;

	setenv("PROFIL_HZ", "5000", 1);
	sigaction(SIGALRM, &act, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, work[i], NULL);
	is_main = true;
	start_alarms();
	/* On a machine that has other things to do, it takes longer until all has happened often.
	 */
	while ((seconds_on(CLOCK_MONOTONIC) < end || !all_took_part()) && !over) {
		in_round = 0;
		burn(0.01);
	}
	over = true; /* first, so that no handler starts the alarms again */
	setitimer(ITIMER_REAL, &never, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	pthread_join(threads[3], &result);
	note("%lu switches, %lu threads, %lu children, %lu calls from a handler", switches, births,
	     forks, handled);
	if (interval_us > 100)
		note("one signal per %d us: main() was starved before", interval_us);
	ok(all_took_part(), "everything took part");
	ok(result == NULL, "no child was killed");

	count_nothing();
	setenv("PROFIL_HZ", "100", 1);
	count_everything();
	cpu = thread_cpu();
	burn(0.3);
	burn_in_kernel(0.05);
	/* The kernel looks at CPU timers in its own tick, which often hits another program on a
	 * busy machine: up to three ticks may be late. The sum is exact when one has just come. */
	seen = everything[0];
	do
		due = (thread_cpu() - cpu) * 100;
	while (everything[0] == seen && due < 100);
	ok(everything[0] >= due - 2 && everything[0] <= due + 2,
	   "and profiling still works: %u of %.1f", everything[0], due);
	ok(clock_now().threads <= threads_at_most(), "no thread is left over: %u",
	   clock_now().threads);
	count_nothing();
	return tap_done();
}
