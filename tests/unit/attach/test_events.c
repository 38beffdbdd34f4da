/* SPDX-License-Identifier: MIT
 *
 * test_events.c - kernel events and the processes, threads and samples that result from them, also
 * where events were lost or arrive late.
 */
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../runtime/calls/wrapped.h"
#include "attach/events.h"
#include "perf_regs.h"
#include "tap.h"

#define SECOND UINT64_C(1000000000)

/* Process ids above pid_max: no such process exists. */
#define ONE ((pid_t)0x7f000001)
#define TWO ((pid_t)0x7f000100)

static struct attach attach;
static pid_t wanted[2];
static struct target targets[2];
static uint64_t now;

/* Sets up the state after attach_open() with one requested process, or none. */
static void begin(pid_t pid, bool follow)
{
	memset(targets, 0, sizeof(targets));
	wanted[0] = pid;
	now = 10 * SECOND;
	attach = (struct attach){
		.options = { .pids = wanted,
			     .pid_count = pid ? 1 : 0,
			     .hz = 1000,
			     .follow = follow },
		.targets = targets,
		.timeline = { .clock = RECORD_CLOCK_NS },
		.context = { .hz = 1000, .unit_ns = 1000 },
	};
	wrapped_create(0, RECORD_CLOCK_NS);
	if (room_attach(wrapped.path))
		bail_out("the recording cannot be opened");
}

static void end(void)
{
	watched_roster_free(&attach.roster);
	images_free(&attach.context.images);
	hash_free(&attach.counters.roots);
	unlink(wrapped.path);
	close(wrapped.fd);
}

static struct event event(uint32_t type, pid_t pid, pid_t tid)
{
	return (struct event){ .type = type, .pid = pid, .tid = tid, .time = now++ };
}

/* Registers a counter that was opened for a thread. */
static void count_by(uint64_t id, pid_t root)
{
	uint32_t *place = hash_place(&attach.counters.roots, id);

	if (!place)
		bail_out("no memory");
	*place = (uint32_t)root;
}

static void sample(pid_t pid, pid_t tid, uint64_t id, uintptr_t pc)
{
	static uint64_t words[64];
	struct event its = event(PERF_RECORD_SAMPLE, pid, tid);

	words[arch_perf_word[ARCH_FRAME_PC]] = pc;
	its.id = id;
	its.sample = (struct event_sample){ .period = 1000000,
					    .abi = pc ? ARCH_PERF_ABI : 0,
					    .registers = pc ? words : NULL };
	events_take(&attach, &its);
}

static void fork_of(pid_t parent, pid_t creator, pid_t pid, pid_t tid)
{
	struct event its = event(PERF_RECORD_FORK, pid, tid);

	its.parent_pid = parent;
	its.parent_tid = creator;
	events_take(&attach, &its);
}

static void name(pid_t pid, pid_t tid, const char *text, bool is_exec)
{
	struct event its = event(PERF_RECORD_COMM, pid, tid);

	its.misc = is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0;
	its.name = text;
	events_take(&attach, &its);
}

static void exits(pid_t pid, pid_t tid)
{
	struct event its = event(PERF_RECORD_EXIT, pid, tid);

	events_take(&attach, &its);
}

static struct watched_thread *seen_thread(pid_t tid)
{
	return watched_roster_thread(&attach.roster, tid);
}

static struct watched_process *seen_process(pid_t pid)
{
	return watched_roster_process(&attach.roster, pid);
}

static bool is_called(pid_t tid, const char *text)
{
	return seen_thread(tid) && strcmp(seen_thread(tid)->name, text) == 0;
}

/* Adds a process with its first thread. */
static void put(pid_t pid)
{
	struct watched_process *process = watched_process_new(pid, 1, now);

	if (!process || watched_roster_add_process(&attach.roster, process) ||
	    watched_roster_add_thread(&attach.roster, watched_thread_new(process, pid, "first")))
		bail_out("no memory");
	seen_thread(pid)->root = pid;
}

/* ---- adoption ---- */

static void adoption(void)
{
	pid_t self = getpid();

	prctl(PR_SET_NAME, "adopted");
	begin(self, false);
	count_by(7, self);
	sample(ONE, ONE, 7, (uintptr_t)adoption);
	ok(!seen_process(ONE) && !attach.samples,
	   "a sample of a process that was not requested is ignored");
	sample(self, self, 7, (uintptr_t)adoption);
	ok(seen_process(self) && is_called(self, "adopted") && attach.samples == 1,
	   "a requested process is adopted with its first sample");
	ok(seen_process(self)->parent_pid == getppid() &&
		   watched_process_knows(seen_process(self), (uintptr_t)adoption) &&
		   watched_process_knows(seen_process(self), (uintptr_t)memcpy),
	   "with its parent and its mappings");
	sample(self, ONE, 7, (uintptr_t)adoption);
	ok(seen_thread(ONE) && seen_thread(ONE)->process == seen_process(self) &&
		   seen_process(self)->threads == 2 && attach.samples == 2,
	   "so is another of its threads");
	end();
	begin(self, true);
	count_by(7, self);
	sample(ONE, ONE, 7, (uintptr_t)adoption);
	ok(seen_process(ONE) && attach.samples == 1, "with `follow`, any process is adopted");
	end();
}

static void counted_twice(void)
{
	begin(0, true);
	put(ONE);
	count_by(7, ONE);
	count_by(8, TWO);
	sample(ONE, ONE, 8, 0x1000);
	ok(attach.samples == 0, "a sample of another thread's counter is ignored");
	sample(ONE, ONE, 7, 0x1000);
	ok(attach.samples == 1, "a sample of its own counter is recorded");
	seen_thread(ONE)->root = 0;
	sample(ONE, ONE, 8, 0x1000);
	sample(ONE, ONE, 7, 0x1000);
	ok(attach.samples == 2 && seen_thread(ONE)->root == TWO,
	   "if the root is unknown, the first sample determines it");
	sample(ONE, ONE, 8, 0);
	ok(attach.samples == 2, "a sample without registers is ignored");
	end();
}

/* ---- fork, exec, exit ---- */

static void forks(void)
{
	begin(ONE, false);
	put(ONE);
	fork_of(ONE, ONE, ONE, ONE + 1);
	ok(is_called(ONE + 1, "first") && seen_thread(ONE + 1)->root == ONE &&
		   seen_process(ONE)->threads == 2,
	   "a new thread inherits the name and the root of its creator");
	fork_of(ONE, ONE, TWO, TWO);
	ok(!seen_process(TWO) && !seen_thread(TWO), "without `follow`, a child process is ignored");
	attach.options.follow = true;
	fork_of(ONE, ONE + 1, TWO, TWO);
	ok(seen_process(TWO) && seen_process(TWO)->parent_pid == ONE && seen_thread(TWO) &&
		   seen_thread(TWO)->process == seen_process(TWO) && seen_thread(TWO)->root == ONE,
	   "with `follow`, it is added");
	fork_of(ONE + 50, ONE + 50, ONE + 60, ONE + 60);
	ok(!seen_process(ONE + 60), "a child of an unknown parent is ignored");
	name(ONE, ONE + 1, "second", false);
	ok(is_called(ONE + 1, "second") && is_called(ONE, "first"),
	   "a name changes for one thread");
	exits(ONE, ONE);
	ok(!seen_thread(ONE) && seen_process(ONE), "a thread ends");
	exits(ONE, ONE + 1);
	ok(!seen_process(ONE) && seen_process(TWO), "the process ends with its last thread");
	exits(ONE, ONE + 1);
	ok(attach.roster.thread_count == 1, "the end of an unknown thread is ignored");
	end();
}

/* Threads found in /proc before their fork event is read. */
static void quicker(void)
{
	struct watched_thread *known;

	begin(0, true);
	put(ONE);
	put(TWO);
	known = seen_thread(TWO);
	fork_of(ONE, ONE, TWO, TWO);
	ok(seen_thread(TWO) == known && seen_process(TWO)->parent_pid == 1,
	   "a thread with counters of its own is kept when its fork event arrives");
	known->root = ONE;
	fork_of(ONE, ONE, ONE, TWO);
	ok(seen_thread(TWO) && seen_thread(TWO)->process == seen_process(ONE) && !seen_process(TWO),
	   "otherwise the thread id is reused, and the old thread has ended");
	end();
}

static void programs(void)
{
	struct watched_process *before;

	begin(ONE, true);
	put(ONE);
	fork_of(ONE, ONE, ONE, ONE + 1);
	before = seen_process(ONE);
	name(ONE, ONE, "other", true);
	ok(seen_process(ONE) && seen_process(ONE) != before && is_called(ONE, "other") &&
		   !seen_thread(ONE + 1) && seen_process(ONE)->threads == 1,
	   "exec() creates a new process with one thread");
	ok(!attach.counters.sums_mislead && !seen_thread(ONE)->is_unaccountable,
	   "its CPU time continues");
	exits(ONE, ONE);
	put(ONE);
	fork_of(ONE, ONE, ONE, ONE + 1);
	exits(ONE, ONE);
	name(ONE, ONE, "third", true);
	ok(is_called(ONE, "third") && seen_thread(ONE)->is_unaccountable &&
		   attach.counters.sums_mislead && !seen_thread(ONE + 1),
	   "a thread that had another id is no longer accountable");
	end();
}

/* A requested process that has not called exec() yet. */
static void first_programs(void)
{
	begin(ONE, false);
	targets[0] = (struct target){ .is_pending = true, .before = { .cpu_ns = 777 } };
	name(TWO, TWO, "other", true);
	ok(!seen_process(TWO) && targets[0].is_pending, "exec() of another process is ignored");
	name(ONE, ONE, "program", true);
	ok(is_called(ONE, "program") && seen_thread(ONE)->root == ONE &&
		   seen_thread(ONE)->base_ns == 777 && !targets[0].is_pending,
	   "the first program starts with the CPU time used before exec()");
	ok(seen_process(ONE)->record, "it is entered in the recording");
	end();
}

/* ---- losses and checks ---- */

static void losses(void)
{
	const struct record_sampler *first;
	struct event lost, ended;

	begin(ONE, false);
	lost = event(PERF_RECORD_LOST, TWO, TWO);
	lost.lost = 5;
	events_take(&attach, &lost);
	ok(attach.lost == 5 && attach.has_lost, "losses without a process are counted");
	put(ONE);
	count_by(7, ONE);
	sample(ONE, ONE, 7, 0x1000);
	lost.type = PERF_RECORD_LOST_SAMPLES;
	events_take(&attach, &lost);
	ok(attach.lost == 10 && seen_process(ONE)->sampler->lost == 5,
	   "losses of unknown processes are billed to the first one");
	first = seen_process(ONE)->sampler;
	ended = event(PERF_RECORD_EXIT, ONE, ONE);
	events_take(&attach, &ended);
	events_take(&attach, &lost);
	ok(attach.roster.process_count == 0 && first->lost == 10,
	   "also when all processes have ended");
	end();
}

static void checks(void)
{
	pid_t self = getpid(), child = fork();
	struct watched_process *process;
	int status;

	if (child == 0)
		_exit(0);
	waitpid(child, &status, 0);
	begin(0, true);
	put(self);
	put(child);
	process = seen_process(self);
	events_check(&attach);
	ok(seen_thread(child) && seen_thread(child)->is_missing && !seen_thread(self)->is_missing,
	   "a thread that is gone is only marked at first: its last samples may be pending");
	ok(!watched_process_knows(process, (uintptr_t)checks),
	   "mappings are not reread without need");
	attach.has_lost = true;
	events_check(&attach);
	ok(!seen_thread(child) && !seen_process(child) && seen_thread(self),
	   "the next check ends it");
	ok(watched_process_knows(process, (uintptr_t)checks) && !attach.has_lost,
	   "after losses, mappings are reread");
	end();
}

/* Samples in code without a known mapping. */
static void unknown_code(void)
{
	struct watched_process *process;
	pid_t self = getpid();

	begin(self, false);
	put(self);
	process = seen_process(self);
	count_by(7, self);
	sample(self, self, 7, (uintptr_t)unknown_code);
	ok(watched_process_knows(process, (uintptr_t)unknown_code) && process->reread,
	   "a sample in unknown code rereads the mappings");
	while (process->map_count)
		free(process->maps[--process->map_count].path);
	sample(self, self, 7, (uintptr_t)unknown_code);
	ok(!watched_process_knows(process, (uintptr_t)unknown_code), "not again within a second");
	now += 2 * SECOND;
	sample(self, self, 7, (uintptr_t)unknown_code);
	ok(watched_process_knows(process, (uintptr_t)unknown_code), "again later");
	end();
}

int main(void)
{
	adoption();
	counted_twice();
	forks();
	quicker();
	programs();
	first_programs();
	losses();
	checks();
	unknown_code();
	return tap_done();
}
