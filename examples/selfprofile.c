/* SPDX-License-Identifier: MIT
 *
 * selfprofile.c - a program that finds out where its own time goes, with profil().
 *
 * The whole of profil() is three steps:
 *
 *	1. a buffer of counters, as large as the text it is to cover;
 *	2. profil(buffer, size, where the text starts, scale): from now on each 10 ms of CPU time,
 *	   of whatever thread, adds 1 to the counter that belongs to the program counter;
 *	3. profil(NULL, 0, 0, 0), and the buffer is a histogram of the program's time.
 *
 * Here six threads do six kinds of work, each for the CPU time it was told. So the true answer is
 * known, and stands beside what profil() has found.
 */
#include <errno.h>
#include <locale.h>
#include <profil.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chart.h"
#include "symbols.h"
#include "work.h"

#define ELSEWHERE "(elsewhere: shared libraries)"

/* With this scale a counter of 2 bytes covers 2 bytes of text. */
#define SCALE_ONE_TO_ONE 65536

struct job {
	unsigned int (*work)(void);
	double seconds;   /* of CPU time: how long to do it */
	const char *row;  /* of the chart: where that time should be found */
	pthread_t thread; /* who does it */
	unsigned int result;
};

static struct job jobs[] = {
	{ .work = multiply_matrices, .seconds = 0.90, .row = "multiply_matrices" },
	{ .work = sort_numbers, .seconds = 0.60, .row = "sort_numbers" },
	{ .work = sieve_primes, .seconds = 0.40, .row = "sieve_primes" },
	{ .work = hash_bytes, .seconds = 0.25, .row = "hash_bytes" },
	{ .work = find_words, .seconds = 0.15, .row = "find_words" },
	/* It only calls snprintf(), and profil() counts where the time is spent, not who asked. */
	{ .work = format_numbers, .seconds = 0.20, .row = ELSEWHERE },
};

#define JOBS (sizeof(jobs) / sizeof(jobs[0]))

__attribute__((noreturn)) static void fail(const char *what, const char *why)
{
	fprintf(stderr, "selfprofile: %s: %s\n", what, why);
	exit(1);
}

static double cpu_seconds_of_this_thread(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void *do_job(void *arg)
{
	struct job *job = arg;

	while (cpu_seconds_of_this_thread() < job->seconds)
		job->result += job->work();
	return NULL;
}

static void print_plan(void)
{
	double all = 0;

	for (size_t i = 0; i < JOBS; i++)
		all += jobs[i].seconds;
	printf("%zu threads, told to work for %.2f s of CPU time in all, watched by profil():\n\n",
	       JOBS, all);
	fflush(stdout); /* it takes a second or two from here */
}

static void do_all_jobs(void)
{
	int err;

	print_plan();
	for (size_t i = 0; i < JOBS; i++) {
		err = pthread_create(&jobs[i].thread, NULL, do_job, &jobs[i]);
		if (err)
			fail("a thread cannot be started", strerror(err));
	}
	for (size_t i = 0; i < JOBS; i++)
		pthread_join(jobs[i].thread, NULL);
}

/* The counters of the whole text, after the work was done under profil(). */
static unsigned short *profile_all_jobs(const struct symbols *program)
{
	size_t size = program->text_size;
	unsigned short *counters = calloc(1, size);
	struct profil_clock_info info;

	if (!counters)
		fail("no memory for the histogram", strerror(errno));
	if (profil(counters, size, program->text_start, SCALE_ONE_TO_ONE) < 0) {
		const char *why = strerror(errno);

		if (profil_clock_info(&info) == 0 && info.problem)
			why = info.problem;
		fail("profil() cannot be turned on", why);
	}
	do_all_jobs();
	profil(NULL, 0, 0, 0);
	return counters;
}

/* ---- from counters to functions ---- */

static double told_seconds_of(const char *row)
{
	for (size_t i = 0; i < JOBS; i++)
		if (strcmp(jobs[i].row, row) == 0)
			return jobs[i].seconds;
	return 0;
}

/* Adds to the row of that name, which is a new one at the end if there is none. */
static size_t add_to_row(struct row *rows, size_t count, const char *name,
			 unsigned long long samples)
{
	size_t i = 0;

	while (i < count && strcmp(rows[i].name, name) != 0)
		i++;
	if (i == count)
		rows[i] = (struct row){ .name = name, .told_seconds = told_seconds_of(name) };
	rows[i].samples += samples;
	return i == count ? count + 1 : count;
}

static void print_histogram(const struct symbols *program, const unsigned short *counters,
			    const struct profil_clock_info *info)
{
	/* At most one row for each function, one for code without a name, and one for elsewhere. */
	struct row *rows = calloc(program->count + 2, sizeof(*rows));
	size_t count = 0;

	if (!rows)
		fail("no memory for the table", strerror(errno));
	for (size_t i = 0; i < program->text_size / sizeof(*counters); i++) {
		const struct function *f;

		if (counters[i] == 0)
			continue;
		f = symbols_find(program, program->text_start + i * sizeof(*counters));
		count = add_to_row(rows, count, f ? f->name : "(no name)", counters[i]);
	}
	/* profil() itself has no counter for what is outside the buffer's range, but says how much.
	 */
	count = add_to_row(rows, count, ELSEWHERE, info->outside);
	chart_print(rows, count, info->asked_hz);
	free(rows);
}

static void print_clock(const struct profil_clock_info *info)
{
	printf("\nclock    %s; time in the kernel is seen by %s\n", info->clock, info->system_time);
	printf("rate     %.0f a second asked, %.1f achieved\n", info->asked_hz, info->achieved_hz);
	printf("samples  %llu in %.2f s of CPU time; %llu outside the program's text, %llu lost\n",
	       info->samples, info->cpu_seconds, info->outside, info->lost);
	if (info->unwatched)
		printf("         %u threads could not be watched\n", info->unwatched);
}

int main(void)
{
	struct profil_clock_info info;
	struct symbols program;
	unsigned short *counters;
	const char *problem;

	setlocale(LC_CTYPE, "");
	problem = symbols_open(&program);
	if (problem)
		fail("no function names", problem);
	counters = profile_all_jobs(&program);
	profil_clock_info(&info);
	if (info.samples == 0)
		fail("profil() has seen nothing", "not one sample was taken");

	print_histogram(&program, counters, &info);
	print_clock(&info);
	free(counters);
	symbols_close(&program);
	return 0;
}
