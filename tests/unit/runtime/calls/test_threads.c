/* SPDX-License-Identifier: MIT
 *
 * test_threads.c - each thread counts by itself, and nothing is lost. A new thread takes over from
 * one that has ended.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "../../apart.h"
#include "emulated.h"
#include "runtime/calls/process.h"
#include "sys.h"
#include "wrapped.h"

#define NOINLINE __attribute__((noinline))

static long (*wadd)(long), (*wnest)(long);

NOINLINE static long add(long n)
{
	return n + 1;
}

NOINLINE static long nest(long n)
{
	return wadd(n) + wadd(n);
}

static void begin(uint32_t flags)
{
	wrapped_begin_with(flags, RECORD_CLOCK_TICKS);
	wadd = WRAP(add);
	wnest = WRAP(nest);
}

static void *few_calls(void *unused)
{
	for (int i = 0; i < 3; i++)
		wnest(i);
	return unused;
}

static void *many_calls(void *unused)
{
	for (int i = 0; i < 10000; i++)
		wnest(i);
	return unused;
}

static void start(pthread_t *thread, void *(*run)(void *))
{
	if (pthread_create(thread, NULL, run, NULL))
		bail_out("there is no thread to test with");
}

static void one_after_another(void)
{
	const int count = 1000;
	uint32_t used = 0;

	begin(0);
	wadd(1);
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		start(&thread, few_calls);
		pthread_join(thread, NULL);
		if (i == count / 2)
			used = calls_state.arena_used;
	}
	/*
	 * The kernel removes a thread a moment after it has been joined: some are still taken for
	 * alive, and then there are twice as many before the next check.
	 */
	ok(calls_state.thread_count <= 32,
	   "a thousand threads, one after another, are few at once: %u", calls_state.thread_count);
	ok(calls_state.arena_used == used, "and need no more slots in the end");
	ok(all_returned(SEEN_BY_ALL(wnest), 3000) && all_returned(SEEN_BY_ALL(wadd), 6001),
	   "all of their calls are counted");
	ok(calls_state.entry.process->threads == (uint32_t)count + 1, "and so are they");
}

static void kept_apart(void)
{
	const int count = 200;
	unsigned segments = 0, users = 0;
	size_t size;
	const char *bytes;

	begin(RECORD_BY_THREAD);
	wadd(1);
	for (int i = 0; i < count; i++) {
		pthread_t thread;

		start(&thread, few_calls);
		pthread_join(thread, NULL);
	}
	bytes = recording_map(&size);
	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));)
		if (segment->kind == RECORD_THREAD) {
			segments++;
			users += ((const struct record_thread *)(segment + 1))->users;
		}
	ok(segments == (unsigned)count + 1 && users == segments,
	   "separate threads each have their own part");
	ok(all_returned(SEEN_BY_ALL(wnest), 600), "all of their calls are counted");
}

static void all_at_once(void)
{
	enum { THREADS = 64 };
	pthread_t threads[THREADS];

	begin(0);
	for (int i = 0; i < THREADS; i++)
		start(&threads[i], many_calls);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(all_returned(SEEN_BY_ALL(wnest), 10000 * THREADS) &&
		   all_returned(SEEN_BY_ALL(wadd), 20000 * THREADS),
	   "64 threads at once, none of which has started the runtime before: nothing is lost");
	ok(SEEN_BY_ALL(wnest).self + SEEN_BY_ALL(wadd).self == (int64_t)SEEN_BY_ALL(wnest).sum,
	   "and what is their own adds up");
	ok(!calls_state.entry.process->lost_threads && !calls_state.entry.process->lost_calls &&
		   !calls_state.entry.process->lost_functions,
	   "it says itself that nothing is");
}

static void *named(void *unused)
{
	prctl(PR_SET_NAME, "worker");
	return few_calls(unused);
}

static void has_a_name(void)
{
	pthread_t thread;
	bool found = false;
	size_t size;
	const char *bytes;

	begin(0);
	start(&thread, named);
	pthread_join(thread, NULL);
	bytes = recording_map(&size);
	for (const struct record_segment *segment = NULL;
	     (segment = recording_next(bytes, size, segment));)
		found = found ||
			(segment->kind == RECORD_THREAD &&
			 !strcmp(((const struct record_thread *)(segment + 1))->name, "worker"));
	ok(found, "a thread has its name in the recording");
}

/* Without space for a thread, its calls are lost, but nothing else is. */
static bool lost_does_its_work;
static pthread_barrier_t without_space, with_space;

static void *lost_thread(void *unused)
{
	long sum = 0;

	for (int i = 0; i < 10000; i++)
		sum += wadd(i);
	lost_does_its_work = sum == 50005000;
	pthread_barrier_wait(&without_space);
	pthread_barrier_wait(&with_space);
	for (int i = 0; i < 5; i++)
		wadd(i);
	return unused;
}

static void no_space(void)
{
	struct record_process *process;
	struct record_header *header;
	uint32_t count;
	uint64_t end, before;
	pthread_t thread;

	begin(0);
	few_calls(NULL);
	process = calls_state.entry.process;
	header = room_header();
	pthread_barrier_init(&without_space, NULL, 2);
	pthread_barrier_init(&with_space, NULL, 2);
	limit_size(header->end);
	count = calls_state.thread_count;
	end = header->end;
	start(&thread, lost_thread);
	pthread_barrier_wait(&without_space);
	ok(lost_does_its_work, "a thread that there is no space for does its work");
	ok(process->lost_threads == 1, "it is counted as lost, once");
	ok(process->lost_calls == 10000, "and so is each of its calls");
	note("%" PRIu64 " threads and %" PRIu64 " calls lost", process->lost_threads,
	     process->lost_calls);
	ok(calls_state.thread_count <= count + 1, "it takes no memory for each of them");
	ok(header->end - end <= 16 * RECORD_GRAIN,
	   "nor does the recording seem to grow with each of them");
	note("%u structs more, %" PRIu64 " bytes", calls_state.thread_count - count,
	     header->end - end);
	few_calls(NULL);
	ok(all_returned(SEEN(wnest), 6), "others go on counting");

	/* It may be counted from now on, or stay lost. */
	limit_size(RLIM_INFINITY);
	before = SEEN_BY_ALL(wadd).calls;
	pthread_barrier_wait(&with_space);
	pthread_join(thread, NULL);
	ok(SEEN_BY_ALL(wadd).calls - before + process->lost_calls == 10005,
	   "when there is space again its calls are counted, or are still lost");
	ok(recording_is_sound(), "the recording is sound");
	start(&thread, few_calls);
	pthread_join(thread, NULL);
	ok(all_returned(SEEN_BY_ALL(wnest), 9), "and other threads count");
}

/* There is no space for a tally, but there is for the thread. */
NOINLINE static long another(long n)
{
	return n + 2;
}

static void no_space_for_a_tally(void)
{
	struct record_header *header;
	struct record_process *process;
	uint64_t lost;
	long (*wanother)(long);

	begin(0);
	wadd(1);
	wanother = WRAP(another);
	process = calls_state.entry.process;
	header = room_header();
	limit_size(header->end);
	/* Fills the rest of the thread's segment with others. */
	for (int i = 0; i < 200; i++) {
		char name[16];
		long (*one)(long);

		snprintf(name, sizeof(name), "f%d", i);
		one = (long (*)(long))wrap_as((char *)another + 1 + i, name, RECORD_COUNTED);
		calls_functions[wrapped_id((void *)one)].target = (void *)another;
		one(1);
	}
	ok(process->lost_calls > 0 && wanother(1) == 3, "a function without a tally works");
	ok(process->lost_calls > 1 && process->lost_threads == 0 && SEEN(wanother).calls == 0,
	   "its calls are lost");
	wadd(1);
	ok(all_returned(SEEN(wadd), 2), "threads that have one are counted");
	/*
	 * Requesting space costs more than a call: after each failure, the next attempt comes
	 * later.
	 */
	for (int i = 0; i < 2 && !calls_this->room.unasked; i++)
		wanother(1);
	ok(calls_this->room.unasked > 0, "space is not asked for at each of its calls");
	limit_size(RLIM_INFINITY);
	lost = process->lost_calls;
	for (uint64_t i = 0; i <= lost; i++)
		wanother(1);
	ok(SEEN(wanother).calls > 0 && SEEN(wanother).calls + process->lost_calls == 2 * lost + 1 &&
		   all_returned(SEEN(wanother), SEEN(wanother).calls) && recording_is_sound(),
	   "and so is that one, when there was space again for as long as there was none");
}

static bool refuses_advice(long nr, const long arguments[6], long *result)
{
	(void)arguments;
	*result = -EPERM;
	return nr == SYS_madvise;
}

/* Threads that start in a sandbox like those of browsers, and a child that is forked there. */
static void in_a_sandbox(void)
{
	uint32_t *shared =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	pid_t child;
	int status;

	begin(0);
	wadd(1);
	process_prepare();
	sys_filter = refuses_advice;
	start(&thread, many_calls);
	pthread_join(thread, NULL);
	ok(all_returned(SEEN_BY_ALL(wadd), 20001) && !calls_state.entry.process->lost_calls,
	   "its calls are counted");
	if (is_emulated()) {
		skip("a child in a sandbox", "the emulator ignores MADV_WIPEONFORK");
		return;
	}
	child = fork();
	if (child == 0) {
		few_calls(NULL);
		start(&thread, few_calls);
		pthread_join(thread, NULL);
		*shared = all_returned(SEEN_BY_ALL(wadd), 12) &&
			  !calls_state.entry.process->lost_calls;
		_exit(0);
	}
	waitpid(child, &status, 0);
	ok(*shared == 1, "and those of a child, apart");
	ok(all_returned(SEEN_BY_ALL(wadd), 20001), "which changes nothing here");
}

static void on_bus(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (!room_mend(info->si_addr))
		signal(sig, SIG_DFL);
}

static void *few_calls_unblocked(void *unused)
{
	sigset_t now;

	few_calls(unused);
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, SIGBUS) ? unused : NULL;
}

/* glibc 2.39 and later call a function of the linker when a thread starts, with all signals
 * blocked. */
static void lost_while_signals_are_blocked(void)
{
	struct sigaction action = { .sa_sigaction = on_bus, .sa_flags = SA_SIGINFO | SA_NODEFER };
	sigset_t all;
	pthread_t thread;
	void *result = NULL;

	begin(0);
	wnest(1);
	calls_state.repairs_faults = sigaction(SIGBUS, &action, NULL) == 0;
	if (ftruncate(wrapped.fd, 0))
		bail_out("the recording cannot be truncated");
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	if (pthread_create(&thread, NULL, few_calls_unblocked, &all))
		bail_out("there is no thread to test with");
	pthread_join(thread, &result);
	ok(result == &all, "a thread that blocks SIGBUS begins in a recording that is lost, and "
			   "blocks it still");
}

int main(void)
{
	apart("one after another", one_after_another);
	apart("kept apart", kept_apart);
	apart("all at once", all_at_once);
	apart("has a name", has_a_name);
	apart("in a sandbox", in_a_sandbox);
	apart("no space", no_space);
	apart("no space for a tally", no_space_for_a_tally);
	apart("lost while signals are blocked", lost_while_signals_are_blocked);
	return tap_done();
}
