/* SPDX-License-Identifier: MIT */
#include "sent.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tsc.h"

/* More than the caches that a CPU has for itself. */
#define FOREIGN_BYTES ((size_t)4 << 20)
#define LINE_BYTES    64

/* A cold tick takes a thousand times as long to prepare as it takes. */
#define WARM_PER_COLD 16

/* Reads the timer that a profiler has armed from /proc: the signal and its value. */
static bool find_timer(siginfo_t *tick)
{
	FILE *timers = fopen("/proc/self/timers", "re");
	unsigned long value;
	bool found = false;
	char line[128];

	while (timers && !found && fgets(line, sizeof(line), timers))
		found = sscanf(line, "signal: %d/%lx", &tick->si_signo, &value) == 2;
	if (timers)
		fclose(timers);
	if (!found)
		return false;
	tick->si_code = SI_TIMER;
	tick->si_value.sival_ptr = (void *)value;
	return true;
}

/* The others tick by SIGPROF. The kernel is asked, since a profiler may hide its handler. */
static bool find_sigprof(siginfo_t *tick)
{
	struct {
		void (*handler)(int);
		unsigned long flags;
		void (*restorer)(void);
		unsigned long mask;
	} action = { 0 };

	tick->si_signo = SIGPROF;
	/* Handlers of SIGPROF do not look at it, and sending one of another kind would take the
	 * kernel another time. */
	tick->si_code = SI_TIMER;
	syscall(SYS_rt_sigaction, SIGPROF, NULL, &action, sizeof(action.mask));
	return action.handler != SIG_DFL && action.handler != SIG_IGN;
}

static void touch(volatile char *foreign)
{
	for (size_t i = 0; i < FOREIGN_BYTES; i += LINE_BYTES)
		foreign[i]++;
}

/*
 * A signal's frame holds the vector registers that are in use. In a program they all are; here it
 * would depend on what has been called by chance. libc's string functions use what the CPU has.
 */
static void use_vector_registers(void)
{
	static void *(*volatile search)(const void *, int, size_t) = memchr;
	static const char nothing[4 * LINE_BYTES];

	search(nothing, 1, sizeof(nothing));
}

/* On the TSC. */
static uint64_t send(siginfo_t *tick)
{
	uint64_t start;

	use_vector_registers();
	start = tsc_now();
	syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), tick->si_signo, tick);
	return tsc_now() - start;
}

/* Printed when all of them are over, since that takes over the caches as well. */
static void print(const char *label, const uint64_t *times, unsigned long count, double ns_per_tsc)
{
	for (unsigned long i = 0; i < count; i++)
		printf("%s %.0f\n", label, (double)times[i] * ns_per_tsc);
}

static void send_all(siginfo_t *tick, unsigned long count, double ns_per_tsc)
{
	uint64_t *times = calloc(count, sizeof(*times));
	char *foreign = calloc(1, FOREIGN_BYTES);

	for (unsigned long i = 0; times && i < count; i++)
		times[i] = send(tick);
	if (times)
		print("warm", times, count, ns_per_tsc);
	for (unsigned long i = 0; times && foreign && i < count / WARM_PER_COLD; i++) {
		touch(foreign);
		times[i] = send(tick);
	}
	if (times && foreign)
		print("cold", times, count / WARM_PER_COLD, ns_per_tsc);
	free(times);
	free(foreign);
}

static const char *measure(const struct profiler *profiler, unsigned long count, double ns_per_tsc)
{
	siginfo_t tick = { 0 };

	if (!find_timer(&tick) && !find_sigprof(&tick))
		return "its ticks come by no signal that can be sent";
	send_all(&tick, count, ns_per_tsc);
	return profiler->samples() < count ? "it does not take a signal that is sent for a tick"
					   : NULL;
}

const char *sent_measure(const struct profiler *profiler, unsigned long count, double ns_per_tsc)
{
	const char *problem = profiler->start();

	if (problem)
		return problem;
	problem = measure(profiler, count, ns_per_tsc);
	profiler->stop();
	return problem;
}
