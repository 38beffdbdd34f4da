/* SPDX-License-Identifier: MIT
 *
 * record_own.c SECONDS - a program with signals and timers of its own: SIGPROF by ITIMER_PROF,
 * SIGTRAP, a handler for every real-time signal, and timers on CPU clocks. Prints how many of each
 * arrived, beside how many were due.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>

#include "record_load.h"

DEFINE_BURNER(work)

#define INTERVAL_US 10000
#define TRAPS       1000

static volatile sig_atomic_t profs, timers, traps, real_times;

static void on_prof(int sig)
{
	(void)sig;
	profs++;
}

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static void on_real_time(int sig, siginfo_t *info, void *context)
{
	(void)sig;
	(void)context;
	if (info->si_code == SI_TIMER)
		timers += 1 + info->si_overrun;
	else
		real_times++;
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	if (sigaction(sig, &action, NULL))
		perror("sigaction");
}

static timer_t start_timer(clockid_t clock)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1 };
	struct itimerspec when = { { 0, INTERVAL_US * 1000 }, { 0, INTERVAL_US * 1000 } };
	timer_t timer;

	if (timer_create(clock, &event, &timer) || timer_settime(timer, 0, &when, NULL))
		perror("timer");
	return timer;
}

/* Takes every real-time signal, although dwell is about to use one. */
static int take_all_real_time(void)
{
	struct sigaction action = { .sa_sigaction = on_real_time,
				    .sa_flags = SA_RESTART | SA_SIGINFO };
	int taken = 0;

	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		taken += sigaction(sig, &action, NULL) == 0;
	for (int sig = SIGRTMIN; sig <= SIGRTMAX; sig++)
		raise(sig);
	return taken;
}

static void breakpoint(void)
{
#if defined(__aarch64__) || defined(__riscv)
	raise(SIGTRAP); /* a handler returns to the instruction itself there */
#else
	__asm__ volatile("int3");
#endif
}

int main(int argc, char **argv)
{
	struct itimerval every = { { 0, INTERVAL_US }, { 0, INTERVAL_US } };
	double seconds = argc == 2 ? atof(argv[1]) : 0;
	int real_time;
	timer_t timer;

	handle(SIGPROF, on_prof);
	handle(SIGTRAP, on_trap);
	real_time = take_all_real_time();
	timer = start_timer(CLOCK_PROCESS_CPUTIME_ID);
	setitimer(ITIMER_PROF, &every, NULL);
	for (int i = 0; i < TRAPS; i++) {
		raise(SIGTRAP);
		work(seconds / TRAPS);
	}
	for (int i = 0; i < TRAPS; i++)
		breakpoint();
	timer_delete(timer);
	printf("exact SIGTRAP %d of %d\n", (int)traps, 2 * TRAPS);
	printf("exact real-time %d of %d\n", (int)real_times, real_time);
	printf("about SIGPROF %d of %.0f\n", (int)profs, charged_cpu() * 1e6 / INTERVAL_US);
	printf("about timers %d of %.0f\n", (int)timers, process_cpu() * 1e6 / INTERVAL_US);
	fflush(stdout);
	say_cpu();
	return 0;
}
