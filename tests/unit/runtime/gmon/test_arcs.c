/* SPDX-License-Identifier: MIT
 *
 * test_arcs.c - counts of calls: each is there once, whatever threads, tables and forks do.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/gmon/arcs.c"
#include "runtime/gmon/arcs_private.h"
#include "tap.h"

static uint64_t total(uint64_t from, uint64_t self)
{
	uint64_t sum = 0;

	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++)
			if (chunk->arcs.arcs[i].from == from && chunk->arcs.arcs[i].self == self)
				sum += chunk->arcs.arcs[i].count;
	return sum;
}

static size_t number_of_threads(void)
{
	size_t count = 0;

	for (const struct arcs_thread *thread = NULL; (thread = arcs_next_thread(thread));)
		count++;
	return count;
}

static void one_thread(void)
{
	uint64_t wrong = 0;

	for (uintptr_t round = 1; round <= 3; round++)
		for (uintptr_t i = 1; i <= 20000; i++)
			arcs_count(0x10000 + 4 * i, 0x900000 + 16 * (i % 100));
	for (uintptr_t i = 1; i <= 20000; i++)
		wrong += i % 997 == 0 && total(0x10000 + 4 * i, 0x900000 + 16 * (i % 100)) != 3;
	ok(wrong == 0, "20,000 arcs, three times each: tables grow");
	ok(arcs_this->mask / sizeof(void *) + 1 >= 40000, "there are twice as many slots as arcs");
	ok(arcs_lost == 0, "none is lost");
}

static void *count_many(void *argument)
{
	for (uintptr_t i = 0; i < 100000; i++)
		arcs_count(0x20000000, 0x20000100 + i % 7 * 16);
	(void)argument;
	return NULL;
}

static uint64_t total_of_many(void)
{
	uint64_t sum = 0;

	for (uintptr_t i = 0; i < 7; i++)
		sum += total(0x20000000, 0x20000100 + i * 16);
	return sum;
}

static void many_threads(void)
{
	pthread_t ids[8];
	size_t before;

	for (int i = 0; i < 8; i++)
		pthread_create(&ids[i], NULL, count_many, NULL);
	for (int i = 0; i < 8; i++)
		pthread_join(ids[i], NULL);
	ok(total_of_many() == 800000, "8 threads that count the same at once");
	before = number_of_threads();
	for (int i = 0; i < 50; i++) {
		pthread_create(&ids[0], NULL, count_many, NULL);
		pthread_join(ids[0], NULL);
	}
	ok(total_of_many() == 800000 + 50 * 100000 && number_of_threads() == before,
	   "threads that come later go on with what others have left");
}

static volatile uint64_t handled;

static void on_signal(int sig)
{
	(void)sig;
	/* New arcs as well, so that tables grow in here. */
	arcs_count(0x30000000 + 4 * handled, 0x30000008);
	arcs_count(0x30000000, 0x30000004);
	handled++;
}

static void interrupted(void)
{
	struct itimerval often = { { 0, 100 }, { 0, 100 } }, never = { { 0, 0 }, { 0, 0 } };
	uint64_t count = 0, sum = 0;

	signal(SIGALRM, on_signal);
	setitimer(ITIMER_REAL, &often, NULL);
	for (; handled < 1000; count++)
		arcs_count(0x40000000 + 4 * (count % 50000), 0x40000004);
	setitimer(ITIMER_REAL, &never, NULL);
	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++)
			if (chunk->arcs.arcs[i].self == 0x40000004)
				sum += chunk->arcs.arcs[i].count;
	ok(sum == count, "interrupted: %llu of %llu are counted", (unsigned long long)sum,
	   (unsigned long long)count);
	ok(total(0x30000000, 0x30000004) == handled, "and what handlers have called");
}

static void forgotten(void)
{
	uint32_t epoch = arcs_epoch;
	bool before, after;

	arcs_count(0x50000000, 0x60000000);
	arcs_count(0x50000000, 0x70000000);
	arcs_epoch++;
	arcs_forget(0x60000000, 0x60001000);
	arcs_count(0x50000000, 0x60000000);
	arcs_count(0x50000000, 0x60000000);
	arcs_count(0x50000000, 0x70000000);
	before = after = false;
	for (struct arcs_private *chunk = NULL; (chunk = arcs_private_next(chunk));)
		for (uint32_t i = 0; i < arcs_private_count(chunk); i++) {
			const struct record_arc *arc = &chunk->arcs.arcs[i];

			if (arc->self != 0x60000000)
				continue;
			before = before || (arc->count == 1 && chunk->epoch == epoch);
			after = after || (arc->count == 2 && chunk->epoch == epoch + 1);
		}
	ok(before && after, "unmapped and new code have separate counts");
	ok(total(0x50000000, 0x70000000) == 2, "others go on");
}

/*
 * Processes that share our memory, as between vfork() and exec(): their thread ids are arbitrary,
 * and they may be alive or not.
 */
static void strangers(void)
{
	struct arcs_table *own = arcs_this, *first;

	pid++;
	arcs_this = NULL;
	arcs_count(0x80000000, 0x80000100);
	first = arcs_this;
	ok(first && first != own, "a stranger does not count where we do");
	arcs_this = NULL;
	arcs_count(0x80000000, 0x80000100);
	ok(arcs_this && arcs_this != first && arcs_this != own, "nor where another one does");
	ok(total(0x80000000, 0x80000100) == 2, "their calls are counted");
	pid--;
	arcs_this = own;
}

static void forked(void)
{
	size_t before = number_of_threads();
	int status;
	pid_t child = fork();

	if (child == 0) {
		struct arcs_table *table = arcs_this;
		bool good;

		arcs_after_fork(false);
		good = arcs_this == table && table->thread->owner == (uint32_t)sys_gettid() &&
		       number_of_threads() == before;
		for (const struct arcs_thread *thread = NULL; (thread = arcs_next_thread(thread));)
			good = good && (thread == table->thread || thread->owner == 0);
		arcs_after_fork(true);
		_exit(good && !arcs_this && !arcs_next_thread(NULL) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	ok(status == 0, "the child of a fork goes on with them, or begins anew");
}

int main(void)
{
	arcs_start();
	ok(arcs_is_wanted == 1, "calls are wanted");
	one_thread();
	many_threads();
	interrupted();
	forgotten();
	strangers();
	forked();
	return tap_done();
}
