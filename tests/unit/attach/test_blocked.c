/* SPDX-License-Identifier: MIT
 *
 * test_blocked.c - a waiting process, observed from outside on a clock that the test advances: all
 * waiting time is recorded with its place, and a process that does not move is rarely inspected.
 */
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../runtime/calls/wrapped.h"
#include "attach/blocked.h"
#include "emulated.h"
#include "recording/read/reader.h"
#include "tap.h"

#define MS    UINT64_C(1000000)
#define START (10000 * MS)

static struct attach attach;
static struct watched_thread *thread;
static pid_t child;
static int wake[2];

/* Returns once the child sleeps. */
static void await_sleep(void)
{
	struct proc_stat stat = { 0 };

	for (int i = 0; i < 5000 && stat.state != 'S'; i++) {
		usleep(1000);
		if (proc_stat(child, &stat))
			bail_out("the child is gone");
	}
	usleep(20000);
}

/* Starts a child that waits for a byte, then for a signal. Since glibc 2.41, read() and pause()
 * make their system calls at one instruction that they share: syscall() has one of its own. */
static void make_child(void)
{
	char byte;

	if (pipe(wake))
		bail_out("there are no pipes");
	child = fork();
	if (child == 0) {
		close(wake[1]);
		if (read(wake[0], &byte, 1) == 1)
			syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
		_exit(0);
	}
	close(wake[0]);
	await_sleep();
}

static void begin(uint32_t hz)
{
	struct watched_process *process = watched_process_new(child, getpid(), START);

	attach = (struct attach){ .options = { .hz = 1000, .blocked_hz = hz },
				  .timeline = { .clock = RECORD_CLOCK_NS },
				  .context = { .hz = 1000, .unit_ns = 1000, .is_wall = true },
				  .looked = START };
	wrapped_create(0, RECORD_CLOCK_NS);
	thread = process ? watched_thread_new(process, child, "waits") : NULL;
	if (room_attach(wrapped.path) || !thread ||
	    watched_roster_add_process(&attach.roster, process) ||
	    watched_roster_add_thread(&attach.roster, thread))
		bail_out("there is nothing to record in");
	blocked_found(&attach, thread, START);
}

static void end(void)
{
	watched_roster_free(&attach.roster);
	images_free(&attach.context.images);
	unlink(wrapped.path);
	close(wrapped.fd);
}

/* Sums of the samples in the recording. */
struct sums {
	int waits; /* samples of waiting */
	uint64_t waited_ns, ran_ns;
};

static void add_samples(struct sums *sums, const struct record_samples *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		bool is_wait = list->samples[i].frame & RECORD_SAMPLE_BLOCKED;
		uint64_t ns = (uint64_t)list->samples[i].weight * list->weight_ns;

		sums->waits += is_wait;
		*(is_wait ? &sums->waited_ns : &sums->ran_ns) += ns;
	}
}

static struct sums sums(void)
{
	struct sums sums = { 0 };
	struct reader reader;
	struct err err;

	if (reader_open(&reader, wrapped.path, &err))
		bail_out(err.text);
	for (size_t i = 0; i < reader.count; i++) {
		const struct record_item *item = NULL;

		while ((item = reader_next(&reader.segments[i], item)))
			if (item->kind == RECORD_SAMPLES)
				add_samples(&sums, (const struct record_samples *)item);
	}
	reader_close(&reader);
	return sums;
}

static bool has_waited(int samples, uint64_t ms)
{
	struct sums all = sums();

	if (all.waits == samples && all.waited_ns == ms * MS && !all.ran_ns)
		return true;
	note("%d samples, %llu ns, and %llu ns of CPU time", all.waits,
	     (unsigned long long)all.waited_ns, (unsigned long long)all.ran_ns);
	return false;
}

static void looks(void)
{
	uint32_t stack;

	begin(100);
	blocked_look(&attach, START + 9 * MS);
	ok(attach.samples == 0, "threads are inspected at intervals");
	blocked_look(&attach, START + 10 * MS);
	ok(attach.samples == 1 && thread->blocked.has_stack && has_waited(1, 10),
	   "elapsed time is attributed to the place where the thread is found");
	stack = thread->blocked.stack;
	blocked_look(&attach, START + 20 * MS);
	ok(has_waited(2, 20) && thread->blocked.stack == stack && thread->blocked.skip == 1,
	   "a thread that has not moved keeps its place, and the next look is skipped");
	blocked_look(&attach, START + 30 * MS);
	ok(has_waited(2, 20), "a skipped look records nothing");
	blocked_look(&attach, START + 40 * MS);
	ok(has_waited(3, 40) && thread->blocked.skip == 2, "the next look records its time");
	blocked_leaves(&attach, thread, START + 47 * MS);
	ok(has_waited(4, 47), "the rest is recorded when the thread ends");
	end();
}

/* The child wakes up and waits elsewhere. */
static void moves(void)
{
	uint64_t ns;
	uint32_t stack;

	begin(100);
	for (uint64_t i = 1; i <= 4; i++)
		blocked_look(&attach, START + i * 10 * MS);
	stack = thread->blocked.stack;
	if (write(wake[1], "", 1) != 1)
		bail_out("the child is gone");
	await_sleep();
	for (uint64_t i = 5; i <= 8; i++)
		blocked_look(&attach, START + i * 10 * MS);
	ok(thread->blocked.has_stack && thread->blocked.stack != stack,
	   "a thread that has moved is found in its new place");
	blocked_last_look(&attach, START + 100 * MS);
	ns = sums().waited_ns;
	/* Less what it has run and waited for a CPU. */
	ok(ns <= 100 * MS && ns > 50 * MS, "all waiting time is recorded: %llu us",
	   (unsigned long long)ns / 1000);
	end();
}

static void queues(void)
{
	struct watched_thread_sample sample = { .time_ns = START + MS, .ns = MS };

	begin(100);
	if (!watched_process_enter(thread->process, &attach.context))
		bail_out("there is no room");
	attach.frames = (struct walker_frames){ .pcs = { 0x1000 }, .depth = 1, .certain = 1 };
	thread->blocked.waits.queued_ns = MS / 2;
	blocked_ran(&attach, thread, &sample);
	ok(attach.samples == 0, "less than a period of waiting for a CPU is held back");
	thread->blocked.waits.queued_ns = 5 * MS;
	blocked_ran(&attach, thread, &sample);
	ok(has_waited(1, 5) && thread->blocked.has_queue_stack &&
		   attach.frames.pcs[0] == PROCESS_NO_CPU && attach.frames.depth == 1,
	   "a whole period becomes a sample of its own");
	attach.options.stacks = true;
	attach.frames = (struct walker_frames){ .pcs = { 0x1000 }, .depth = 1, .certain = 1 };
	thread->blocked.waits.queued_ns = 2 * MS;
	blocked_ran(&attach, thread, &sample);
	ok(has_waited(2, 7) && attach.frames.depth == 2 && attach.frames.pcs[1] == 0x1001,
	   "its caller is the interrupted code");
	end();
}

/* Writes a sample of CPU time. */
static void run(uint64_t ms, uint64_t ns)
{
	struct watched_thread_sample sample = { .time = START + ms * MS,
						.time_ns = START + ms * MS,
						.ns = ns,
						.frames = &attach.frames };
	uint32_t stack;

	attach.frames = (struct walker_frames){ .pcs = { 0x1000 }, .depth = 1, .certain = 1 };
	if (!watched_thread_write(thread, &attach.context, &sample, &stack))
		bail_out("there is no room");
	blocked_ran(&attach, thread, &sample);
}

/* A thread ends between two looks. */
static void ends(void)
{
	struct proc_schedule seen;
	struct sums all;

	begin(100);
	seen = thread->blocked.waits.seen;
	thread->base_ns = seen.cpu_ns;
	run(3, MS);
	run(6, MS);
	seen.cpu_ns += 4 * MS;
	waits_look(&thread->blocked.waits, START + 10 * MS, &seen);
	run(13, MS);
	blocked_ends(&attach, thread, START + 17 * MS);
	all = sums();
	ok(all.ran_ns == 5 * MS && all.waited_ns == 12 * MS,
	   "up to the last look, the CPU time is that of the kernel, and behind it of samples: "
	   "%llu and %llu us",
	   (unsigned long long)all.ran_ns / 1000, (unsigned long long)all.waited_ns / 1000);
	account_settle(&thread->account, 7000, 2, true);
	all = sums();
	ok(all.ran_ns == 7 * MS && all.waited_ns == 10 * MS,
	   "if more turns out to be CPU time, both add up to its life all the same: %llu and %llu "
	   "us",
	   (unsigned long long)all.ran_ns / 1000, (unsigned long long)all.waited_ns / 1000);
	end();
}

/* All ticks are hidden: samples of the kernel are not permitted. */
static void hides(void)
{
	struct sums all;

	begin(100);
	thread->base_ns = thread->blocked.waits.seen.cpu_ns;
	blocked_look(&attach, START + 10 * MS);
	thread->blocked.waits.seen.cpu_ns += 4 * MS;
	blocked_ends(&attach, thread, START + 20 * MS);
	all = sums();
	ok(all.ran_ns == 4 * MS && all.waited_ns == 20 * MS,
	   "CPU time without a sample goes to the last known place: %llu and %llu us",
	   (unsigned long long)all.ran_ns / 1000, (unsigned long long)all.waited_ns / 1000);
	end();
}

/* A sample says that a thread has moved. */
static void stirs(void)
{
	begin(100);
	for (uint64_t i = 1; i <= 4; i++)
		blocked_look(&attach, START + i * 10 * MS);
	ok(thread->blocked.skip > 0, "looks at a thread that does not move are skipped");
	run(41, MS);
	ok(thread->blocked.skip == 0, "until a sample shows that it does");
	end();
}

static void never(void)
{
	begin(0);
	blocked_look(&attach, START + 10 * MS);
	blocked_last_look(&attach, START + 20 * MS);
	blocked_leaves(&attach, thread, START + 30 * MS);
	ok(attach.samples == 0 && blocked_timeout(&attach, START, 55) == 55,
	   "nothing is inspected if blocked_hz is 0");
	end();
}

static void timeouts(void)
{
	begin(100);
	ok(blocked_timeout(&attach, START + 4 * MS, 100) == 6 &&
		   blocked_timeout(&attach, START + 4 * MS, -1) == 6,
	   "the timeout ends at the next look");
	ok(blocked_timeout(&attach, START + 4 * MS, 3) == 3, "a shorter timeout is kept");
	ok(blocked_timeout(&attach, START + 4 * MS + 1, 100) == 6,
	   "the timeout is rounded up to milliseconds");
	ok(blocked_timeout(&attach, START + 40 * MS, 100) == 0, "an overdue look has no timeout");
	end();
}

int main(void)
{
	struct proc_schedule schedule;
	struct proc_place place;
	int status;

	make_child();
	if (!proc_schedule(child, child, &schedule) || proc_place(child, child, &place)) {
		skip("threads that wait", "the kernel does not show where they are");
	} else {
		queues();
		ends();
		never();
		timeouts();
		if (is_emulated()) {
			skip("where a thread waits", NO_PROCESSES);
		} else {
			looks();
			hides();
			stirs();
			moves();
		}
	}
	kill(child, SIGKILL);
	waitpid(child, &status, 0);
	return tap_done();
}
