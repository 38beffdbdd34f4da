/* SPDX-License-Identifier: MIT
 *
 * Many threads: 2000 at once, 20,000 one after another, and with too little of everything that a
 * clock needs for each of them.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

static pthread_barrier_t barrier;

static void *wait_and_burn(void *unused)
{
	pthread_barrier_wait(&barrier);
	for (volatile int i = 0; i < 500000; i++)
		;
	pthread_barrier_wait(&barrier);
	return unused;
}

static void *nothing(void *unused)
{
	return unused;
}

/* Returns the number of threads that were started. */
static int at_once(int wanted)
{
	pthread_t *threads = calloc((size_t)wanted, sizeof(*threads));
	pthread_attr_t attr;
	int count = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&barrier, NULL, (unsigned int)wanted + 1);
	while (count < wanted && pthread_create(&threads[count], &attr, wait_and_burn, NULL) == 0)
		count++;
	if (count < wanted)
		return count; /* the barrier will never open: the caller gives up */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return count;
}

static void two_thousand(void)
{
	double cpu = process_cpu();

	count_everything();
	if (at_once(2000) < 2000) {
		skip("2000 threads at once", "this machine does not let us have so many");
		_exit(tap_done());
	}
	cpu = process_cpu() - cpu;
	/* Each runs for a fraction of a tick, and much of its time is spent before its first and
	 * after its last instruction. Time that was not sampled is lost, not billed to another
	 * thread; so only the upper bound is sharp. The lower one holds because phases are spread
	 * over the tick; otherwise nothing at all would be sampled. */
	ok((double)clock_now().samples > cpu * 5 && (double)clock_now().samples < cpu * 110,
	   "2000 at once: %llu samples of %.0f, %llu lost", clock_now().samples, cpu * 100,
	   clock_now().lost);
	ok(clock_now().threads <= threads_at_most(),
	   "all are forgotten when they have ended: %u left", clock_now().threads);
	count_nothing();
}

static void one_after_another(void)
{
	int born = 0;

	count_everything();
	for (int i = 0; i < 20000; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL) == 0) {
			born++;
			pthread_join(thread, NULL);
		}
	}
	ok(born == 20000, "20,000 one after another");
	/* An emulator has a thread of its own, which blocks all signals. */
	ok(clock_now().threads <= threads_at_most() && clock_now().unwatched <= is_emulated(),
	   "and nothing is left of them: %u threads, %u without a clock", clock_now().threads,
	   clock_now().unwatched);
	count_nothing();
}

static bool with_little(int resource, rlim_t limit)
{
	struct rlimit r = { limit, limit };
	pid_t child = fork();
	int status;

	if (child == 0) {
		setrlimit(resource, &r);
		if (count_everything() != 0)
			_exit(0); /* it says so: that is fine */
		if (at_once(100) < 100)
			_exit(2);
		burn(0.2);
		_exit(clock_now().samples > 10 ? 0 : 1);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(void)
{
	two_thousand();
	one_after_another();
	ok(with_little(RLIMIT_NOFILE, 8), "with 8 descriptors");
	ok(with_little(RLIMIT_NOFILE, 3), "with no descriptor at all");
	ok(with_little(RLIMIT_SIGPENDING, 16), "with 16 pending signals, which timers need");
	ok(with_little(RLIMIT_MEMLOCK, 0), "with no locked memory, which perf events need");
	return tap_done();
}
