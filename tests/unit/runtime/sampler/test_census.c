/* SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <unistd.h>

#include "runtime/sampler/census.h"
#include "emulated.h"
#include "tap.h"

#define THREADS 100 /* more than one buffer of getdents64() holds */

static struct {
	pthread_barrier_t begun, end;
	pid_t tids[THREADS];
} crew;

struct found {
	int count, self, crew, twice;
	bool seen[THREADS];
};

static void visit(pid_t tid, void *arg)
{
	struct found *found = arg;

	found->count++;
	found->self += tid == gettid();
	for (int i = 0; i < THREADS; i++) {
		if (crew.tids[i] != tid)
			continue;
		found->twice += found->seen[i];
		found->seen[i] = true;
		found->crew++;
	}
}

static void *member(void *arg)
{
	*(pid_t *)arg = gettid();
	pthread_barrier_wait(&crew.begun);
	pthread_barrier_wait(&crew.end);
	return NULL;
}

/* Tries masks with all hexadecimal digits. */
static void masks(void)
{
	sys_sigset before, wrong = 0;

	sys_sigprocmask(SIG_BLOCK, NULL, &before);
	for (sys_sigset digit = 0; digit < 16; digit++) {
		sys_sigset mask = digit << 33; /* of real-time signals */

		sys_sigprocmask(SIG_SETMASK, &mask, NULL);
		for (unsigned bit = 32; bit < 38; bit++)
			wrong += census_blocks(gettid(), UINT64_C(1) << bit) != (mask >> bit & 1);
	}
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	ok(wrong == 0, "the blocked signals of a thread are found");
	ok(!census_blocks(0x7fffffff, ~(sys_sigset)0), "a missing thread blocks none");
}

int main(void)
{
	pthread_t threads[THREADS];
	struct found found = { 0 };

	if (access("/proc/self/task", R_OK)) {
		skip("the threads of a process", "/proc is not mounted");
		return tap_done();
	}
	if (is_emulated())
		skip("masks of threads", NO_MASKS);
	else
		masks();
	ok(census_take(visit, &found) == 0 && found.self == 1, "a thread finds itself, once");
	pthread_barrier_init(&crew.begun, NULL, THREADS + 1);
	pthread_barrier_init(&crew.end, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, member, &crew.tids[i]))
			bail_out("no threads to test with");
	pthread_barrier_wait(&crew.begun);
	found = (struct found){ 0 };
	ok(census_take(visit, &found) == 0, "there is a census");
	ok(found.crew == THREADS && found.self == 1, "it finds all of %d threads more", THREADS);
	ok(found.twice == 0, "none of them twice");
	pthread_barrier_wait(&crew.end);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return tap_done();
}
