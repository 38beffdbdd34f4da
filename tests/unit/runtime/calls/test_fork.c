/* SPDX-License-Identifier: MIT
 *
 * test_fork.c - a child of fork() is a process of its own in the recording: it counts its own
 * calls, and none that its parent had started.
 */
#include <pthread.h>
#include <sched.h>

#include "../../apart.h"
#include "emulated.h"
#include "runtime/calls/threads.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static long (*wadd)(long), (*wforking)(long), (*wtwice)(long);

NOINLINE static long add(long n)
{
	return n + 1;
}

static void calls(int count)
{
	for (int i = 0; i < count; i++)
		wadd(i);
}

static void begin(uint32_t flags)
{
	wrapped_begin_with(flags, RECORD_CLOCK_TICKS);
	wadd = WRAP(add);
}

/* Returns the number of processes in the recording; and the last child of this one. */
static unsigned processes(struct record_process *child, uint64_t *where)
{
	unsigned count = 0;
	size_t size;
	const char *bytes = recording_map(&size);

	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));) {
		const struct record_process *process = (const struct record_process *)(segment + 1);

		if (segment->kind != RECORD_PROCESS)
			continue;
		count++;
		if (process->parent != calls_state.entry.segment)
			continue;
		*child = *process;
		*where = (uint64_t)((const char *)segment - bytes);
	}
	munmap((void *)bytes, size);
	return count;
}

static bool ends_well(pid_t child)
{
	return apart_wait(child) == 0;
}

static void own_process(void)
{
	struct record_process seen = { 0 };
	struct record_calls before;
	uint64_t where = 0;
	pid_t child;

	begin(0);
	calls(100);
	before = SEEN(wadd);
	child = apart_fork();
	if (child == 0) {
		calls(7);
		_exit(SEEN(wadd).calls == 7 && SEEN(wadd).returned == 7 ? 0 : 1);
	}
	ok(ends_well(child), "the child counts from 0");
	ok(memcmp(&before, &SEEN(wadd), sizeof(before)) == 0,
	   "calls of the child do not change the parent's counts");
	ok(processes(&seen, &where) == 2 && seen.forked == 1 && seen.pid == (uint32_t)child &&
		   seen.parent_pid == (uint32_t)getpid(),
	   "the recording has two processes, with parent and child");
	ok(seen.threads == 1 && seen.inside == calls_state.entry.process->inside &&
		   seen.outside == calls_state.entry.process->outside,
	   "the child has one thread, and the parent's measure of what wrapping costs");
	ok(all_returned(SEEN_BY(where, wadd), 7), "the child's calls are in its own part");
	calls(1);
	ok(all_returned(SEEN(wadd), 101), "the parent goes on where it was");
}

static void idle_child(void)
{
	struct record_process seen;
	uint64_t where;
	pid_t child;

	begin(0);
	calls(1);
	child = apart_fork();
	if (child == 0)
		_exit(0);
	ok(ends_well(child) && processes(&seen, &where) == 1,
	   "a child that makes no wrapped call is not in the recording");
	child = apart_fork();
	if (child == 0) {
		dwell_calls_object(&(struct runtime_object){ .path = "/test", .soname = "" });
		dwell_calls_forget(0);
		_exit(0);
	}
	ok(ends_well(child) && processes(&seen, &where) == 1,
	   "nor is one whose objects are opened again and closed");
}

/* Calls active at the fork. They return twice, once in the parent. */
static bool calls_in_child;
static bool child_is_hooked; /* that it is one, by other code than the wrapper */

NOINLINE static long forking(long n)
{
	pid_t child;

	if (n == 0)
		return 0;
	child = apart_fork();
	if (child == 0) {
		if (child_is_hooked)
			threads_entry();
		if (calls_in_child)
			calls(5);
		return -1;
	}
	return ends_well(child) ? n + 1 : 0;
}

/* Not a tail call: the child returns through both. */
NOINLINE static long twice(long n)
{
	long answer = wforking(n);

	if (answer >= 0)
		return answer;
	if (calls_in_child)
		calls(5);
	return -1;
}

static void under_way(const char *what)
{
	struct record_process seen;
	uint64_t where = 0;
	long answer;

	wforking = WRAP(forking);
	wtwice = WRAP(twice);
	calls(3);
	/* So often that the wrapper handles it alone. */
	for (int i = 0; i < 100; i++)
		wtwice(0);
	answer = wtwice(1);
	if (answer < 0) {
		/* The child returns from calls that its parent had started. */
		bool clean = SEEN(wtwice).calls == 0 && SEEN(wforking).calls == 0 &&
			     SEEN(wtwice).returned == 0 && SEEN(wforking).returned == 0;

		_exit(clean && slots_in_use() == 0 ? 0 : 1);
	}
	ok(answer == 2, "a child returns from calls that its parent had begun: %s", what);
	ok(all_returned(SEEN(wforking), 101) && all_returned(SEEN(wtwice), 101),
	   "the parent counts them once");
	processes(&seen, &where);
	ok(SEEN_BY(where, wtwice).calls == 0 && SEEN_BY(where, wtwice).returned == 0,
	   "the child does not count them");
	if (calls_in_child)
		ok(all_returned(SEEN_BY(where, wadd), 10), "but what it calls meanwhile");
	ok(all_returned(SEEN(wadd), 3), "which the parent does not");
}

static void under_way_quietly(void)
{
	begin(0);
	under_way("in between it calls nothing");
}

static void under_way_with_calls(void)
{
	begin(0);
	calls_in_child = true;
	under_way("in between it calls others");
}

static void under_way_hooked(void)
{
	begin(0);
	child_is_hooked = true;
	under_way("in between another hook reports the fork");
}

static void not_followed(void)
{
	struct record_process seen;
	uint64_t where;
	pid_t child;

	begin(RECORD_NO_FOLLOW);
	calls(3);
	child = apart_fork();
	if (child == 0) {
		long sum = 0;

		for (int i = 0; i < 1000; i++)
			sum += wadd(i);
		_exit(sum == 500500 && slots_in_use() == 0 ? 0 : 1);
	}
	ok(ends_well(child), "a child that is not followed does what it does");
	ok(processes(&seen, &where) == 1 && all_returned(SEEN(wadd), 3), "and counts nothing");
}

static void not_followed_under_way(void)
{
	struct record_process seen;
	uint64_t where;
	long answer;

	begin(RECORD_NO_FOLLOW);
	calls_in_child = true;
	wforking = WRAP(forking);
	wtwice = WRAP(twice);
	answer = wtwice(1);
	if (answer < 0)
		_exit(0);
	ok(answer == 2, "it returns from calls that its parent had begun");
	ok(processes(&seen, &where) == 1 && all_returned(SEEN(wtwice), 1) && SEEN(wadd).calls == 0,
	   "and counts nothing");
}

static void not_followed_from_the_start(void)
{
	struct record_process seen;
	uint64_t where;
	pid_t child;

	begin(RECORD_NO_FOLLOW);
	child = apart_fork();
	if (child == 0) {
		calls(10);
		_exit(0);
	}
	ok(ends_well(child) && processes(&seen, &where) == 1,
	   "nor does one that is the first to make a call");
	calls(2);
	ok(all_returned(SEEN(wadd), 2), "the parent counts all the same");
}

/* A grandchild, and a child that binds a function of its own. */
NOINLINE static long only_in_child(long n)
{
	return n - 1;
}

static void bound_first(void)
{
	struct record_process seen = { 0 };
	const struct record_item *next;
	uint64_t where;
	pid_t child;

	begin(0);
	calls(1);
	child = apart_fork();
	if (child == 0) {
		WRAP(only_in_child);
		_exit(0);
	}
	next = (const struct record_item *)calls_state.entry.names.next;
	ok(ends_well(child) && next->kind == 0 && next->size == 0,
	   "a function that a child binds is not written in the parent's part");
	ok(processes(&seen, &where) == 2 && seen.pid == (uint32_t)child && seen.bindings == 1,
	   "but in its own");
	child = apart_fork();
	if (child == 0) {
		dwell_calls_object(&(struct runtime_object){ .path = "/new", .soname = "" });
		_exit(0);
	}
	ok(ends_well(child) && next->kind == 0 && next->size == 0 && processes(&seen, &where) == 3,
	   "and so is an object that is new there");
}

static void generations(void)
{
	struct record_process seen;
	uint64_t where;
	pid_t child;

	begin(0);
	calls(1);
	child = apart_fork();
	if (child == 0) {
		long (*wonly)(long) = WRAP(only_in_child);
		pid_t grandchild;

		wonly(1);
		calls(2);
		grandchild = apart_fork();
		if (grandchild == 0) {
			wonly(1);
			calls(3);
			_exit(all_returned(SEEN(wadd), 3) && all_returned(SEEN(wonly), 1) ? 0 : 1);
		}
		_exit(ends_well(grandchild) && all_returned(SEEN(wadd), 2) ? 0 : 1);
	}
	ok(ends_well(child), "a child has children, and functions of its own");
	ok(processes(&seen, &where) == 3 && all_returned(SEEN_BY(where, wadd), 2),
	   "each is a process in the recording");
}

/* Returns the number of mappings of the recording. */
static int mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512];
	int count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, wrapped.path) != NULL;
	if (maps)
		fclose(maps);
	return count;
}

/*
 * Forks so many times, continuing in the child. Writes the number of mappings of the last one to
 * fd.
 */
static void go_on_as_child(int times, int fd)
{
	int count;
	pid_t child;

	for (int i = 0;; i++) {
		calls(3);
		if (!all_returned(SEEN(wadd), 3))
			_exit(1);
		if (i == times)
			break;
		child = apart_fork();
		if (child)
			_exit(ends_well(child) ? 0 : 1);
	}
	count = mappings();
	_exit(write(fd, &count, sizeof(count)) == sizeof(count) ? 0 : 1);
}

static int mappings_after(int times)
{
	int answer[2], count = 0;
	pid_t child;

	if (pipe(answer))
		bail_out("there is no pipe");
	child = apart_fork();
	if (child == 0)
		go_on_as_child(times, answer[1]);
	if (!ends_well(child) || read(answer[0], &count, sizeof(count)) != sizeof(count))
		count = 0;
	close(answer[0]);
	close(answer[1]);
	return count;
}

static void many_generations(void)
{
	int few, many;

	begin(0);
	calls(5);
	few = mappings_after(2);
	many = mappings_after(50);
	ok(few > 0 && many > 0, "each of 50 generations counts its own calls");
	ok(many == few, "the last has as many mappings of the recording as the second: %d, %d",
	   many, few);
	ok(all_returned(SEEN(wadd), 5) && recording_is_sound(), "the first goes on where it was");
}

/* The other threads are not in the child, but their data is. */
static volatile bool go_on;
static pthread_barrier_t all_there;

NOINLINE static long waiting(long n)
{
	pthread_barrier_wait(&all_there);
	while (!go_on)
		sched_yield();
	return n;
}

static long (*wwaiting)(long);

static void *wait_in_call(void *unused)
{
	wwaiting(1);
	return unused;
}

static void *call_a_few(void *unused)
{
	calls(10);
	return unused;
}

/* None ends before all have called, so that none takes over from another. */
static void *call_a_few_together(void *unused)
{
	calls(10);
	pthread_barrier_wait(&all_there);
	return unused;
}

static void with_threads(void)
{
	enum { THREADS = 8 };
	pthread_t threads[THREADS];
	struct record_process seen;
	uint64_t where = 0;
	pid_t child;

	begin(0);
	wwaiting = WRAP(waiting);
	calls(1);
	pthread_barrier_init(&all_there, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, wait_in_call, NULL))
			bail_out("there are no threads to test with");
	pthread_barrier_wait(&all_there);
	child = apart_fork();
	if (child == 0) {
		pthread_t own[THREADS];

		pthread_barrier_init(&all_there, NULL, THREADS);
		for (int i = 0; i < THREADS; i++)
			if (pthread_create(&own[i], NULL, call_a_few_together, NULL))
				_exit(2);
		for (int i = 0; i < THREADS; i++)
			pthread_join(own[i], NULL);
		/* The parent's may have been in the middle of anything. */
		_exit(calls_state.thread_count == THREADS ? 0 : 1);
	}
	ok(ends_well(child), "threads of the child take nothing over from those of the parent");
	go_on = true;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(all_returned(SEEN_BY_ALL(wwaiting), THREADS), "threads of the parent go on undisturbed");
	processes(&seen, &where);
	ok(all_returned(SEEN_BY(where, wadd), 10 * THREADS) && SEEN_BY(where, wwaiting).calls == 0,
	   "and only what the child's threads did is the child's");
}

/* The state left by a thread that was about to start the runtime, when another one forks. */
static void while_another_thread_starts(void)
{
	pid_t child;

	begin(0);
	calls_state.started = 1;
	child = apart_fork();
	if (child == 0) {
		calls(5);
		_exit(0);
	}
	ok(ends_well(child), "a child does not wait for a thread that is not there");
}

/* Another thread holds the lock at the fork. */
static void while_another_thread_has_the_lock(void)
{
	pid_t child;

	begin(0);
	calls(1);
	calls_alive[CALLS_LOCK] = 1;
	child = apart_fork();
	if (child)
		calls_alive[CALLS_LOCK] = 0;
	if (child == 0) {
		pthread_t own;

		if (pthread_create(&own, NULL, call_a_few, NULL) || pthread_join(own, NULL))
			_exit(2);
		_exit(0);
	}
	ok(ends_well(child), "nor for the lock that one had");
}

/* Without space for the child, it runs uncounted. */
static void no_space(void)
{
	pid_t child;

	begin(0);
	calls(3);
	child = apart_fork();
	if (child == 0) {
		long sum = 0;

		limit_size(room_header()->end);
		for (int i = 0; i < 1000; i++)
			sum += wadd(i);
		limit_size(RLIM_INFINITY);
		calls(10);
		_exit(sum == 500500 && slots_in_use() == 0 ? 0 : 1);
	}
	ok(ends_well(child), "a child that there is no space for does what it does");
	ok(recording_is_sound() && all_returned(SEEN_BY_ALL(wadd), 3),
	   "and leaves the recording alone");
}

static void no_space_with_calls_under_way(void)
{
	long answer;

	begin(0);
	calls_in_child = true;
	wforking = WRAP(forking);
	wtwice = WRAP(twice);
	calls(1);
	limit_size(room_header()->end);
	answer = wtwice(1);
	if (answer < 0)
		_exit(0);
	limit_size(RLIM_INFINITY);
	ok(answer == 2, "it returns from calls that its parent had begun");
	ok(recording_is_sound() && all_returned(SEEN_BY_ALL(wadd), 1),
	   "and leaves the recording alone");
}

/* The sampler may be the first to notice, and report it; or report it later. */
static void hooked(void)
{
	struct record_process seen;
	uint64_t where = 0;
	pid_t child;

	begin(0);
	calls(1);
	threads_entry();
	ok(processes(&seen, &where) == 1, "a process that was not forked is not a new one");
	child = apart_fork();
	if (child == 0) {
		threads_entry();
		threads_entry();
		calls(4);
		threads_entry();
		_exit(0);
	}
	ok(ends_well(child) && processes(&seen, &where) == 2 &&
		   all_returned(SEEN_BY(where, wadd), 4),
	   "a child is a new one, once");
}

int main(void)
{
	if (!wipes_on_fork()) {
		skip("all that a child of fork() counts", NO_WIPE);
		return tap_done();
	}
	apart("a process of its own", own_process);
	apart("an idle child", idle_child);
	apart("calls under way", under_way_quietly);
	apart("calls under way and others", under_way_with_calls);
	apart("calls under way, hooked", under_way_hooked);
	apart("not followed", not_followed);
	apart("not followed, with calls under way", not_followed_under_way);
	apart("not followed from the start", not_followed_from_the_start);
	apart("bound first", bound_first);
	apart("generations", generations);
	apart("many generations", many_generations);
	apart("threads", with_threads);
	apart("while another thread starts", while_another_thread_starts);
	apart("while another thread has the lock", while_another_thread_has_the_lock);
	apart("hooked", hooked);
	apart("no space", no_space);
	apart("no space, with calls under way", no_space_with_calls_under_way);
	return tap_done();
}
