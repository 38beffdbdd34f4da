/* SPDX-License-Identifier: MIT */
#include "recorder.h"

#include <errno.h>
#include <profil.h>
#include <pthread.h>

#include "base/atomic64.h"
#include "runtime/gmon/arcs.h"
#include "runtime/process/instant.h"
#include "arcs_recorded.h"
#include "clock_event.h"
#include "handover.h"
#include "kernel_stacks.h"
#include "mapped.h"
#include "regions.h"
#include "sampler_notes.h"
#include "walk.h"
#include "writers.h"
#include "runtime/sampler/faults.h"
#include "runtime/sampler/roster.h"
#include "runtime/sampler/sampler.h"
#include "runtime/guard/sandbox.h"
#include "sys.h"

/* Address space only; unused pages cost nothing: some 200,000 different frames. */
#define STACKS_BYTES (4680 << 10)

/* A unit of weight: threads owe fractions of a tick at their end, but no fraction of an event. */
#define WEIGHT_NS    1000
#define WEIGHT_EVENT 1

/* Stands for the time before the first tick: an address in the first page, which has no code. */
#define PAST_PLACE ((uintptr_t)16)

enum readiness { NOT_READY, GETTING_READY, READY };

/* Adds a sample of the writer's last frame. While recording is paused, one sample stands for as
 * many ticks as its weight can hold. */
static bool add_sample(struct writer *writer, uint64_t ns)
{
	int64_t rest = (int64_t)ns;

	if (writer->last == RECORD_SAMPLE_PAUSED &&
	    samples_last(&writer->samples) == RECORD_SAMPLE_PAUSED)
		rest = samples_adjust(&writer->samples, rest);
	return rest <= 0 ||
	       samples_add_ns(&writer->samples, writer->last, (uint64_t)rest, instant_now());
}

static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks);
static void after_fork(struct sink *sink);
static void chore(struct sink *sink);
static void before_exec(struct sink *sink);
static int64_t settle(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc);
static void ended(struct sink *sink, int64_t unplaced_ns);

static struct {
	struct sink sink;
	recorder_entry *calls_entry; /* NULL: calls are not counted */
	struct entry entry, parent;
	_Atomic bool is_handled;  /* the child of a fork has handled it */
	uint64_t forked;          /* when it was forked, from the parent */
	_Atomic uint64_t forking; /* the start of the last fork */
	struct room names;        /* the part of the entry that this writes */
	struct record_sampler *sampler;
	struct record_sampler
		*parent_sampler;       /* of the nearest ancestor that has one; NULL: none */
	_Atomic(struct writer *) last; /* the last one that a tick has written to; NULL: none */
	uint32_t hz, flags;
	uint64_t tick_ns;      /* weight of a tick: its time, or 1 event */
	uint32_t weight_ns;    /* a unit of weight */
	bool has_kernel;       /* stacks go on in the kernel */
	bool is_event;         /* ticks are counts of an event, and not CPU time */
	uint64_t unplaced_ns;  /* left when threads or the process ended, guarded by the lock */
	int refused;           /* the errno that the clock was refused with, or 0 */
	_Atomic int readiness; /* enum readiness: of the entry */
	struct stacks stacks;
	void *stacks_memory;
} recorder = { .sink = { .take = take,
			 .is_one_of_many = true,
			 .is_governed = true,
			 .forked = after_fork,
			 .chore = chore,
			 .before_exec = before_exec,
			 .settle = settle,
			 .ended = ended } };

/* ---- the process ---- */

static void copy_text(char *to, size_t size, const char *from)
{
	for (size_t i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i];
}

static void write_sampler(void)
{
	struct record_sampler *sampler = room_take(&recorder.names, sizeof(*sampler));

	if (sampler) {
		copy_text(sampler->clock, sizeof(sampler->clock),
			  recorder.refused ? room_header()->sampling_clock : sampler_clock_name());
		sampler->hz = recorder.hz;
		sampler->refused = (uint32_t)recorder.refused;
		room_publish(&sampler->item, RECORD_SAMPLER);
	}
	recorder.sampler = sampler;
}

/* Makes an entry of the process in the recording; forked: its parent has one. */
static bool enter(bool forked)
{
	const struct entry *made = recorder.calls_entry ? recorder.calls_entry() : NULL;

	if (made)
		recorder.entry = *made;
	else
		entry_make(&recorder.entry, forked ? &recorder.parent : NULL);
	if (!recorder.entry.process)
		return false;
	/* Mappings that the parent has made since do not matter here. */
	if (forked)
		recorder.entry.process->started = recorder.forked;
	recorder.names = recorder.entry.has_calls ? (struct room){ .kind = RECORD_NAMES,
								   .owner = recorder.entry.segment }
						  : recorder.entry.names;
	stacks_init(&recorder.stacks, recorder.stacks_memory, STACKS_BYTES);
	mapped_attach(&recorder.names, !forked);
	if (!forked)
		mapped_name(PAST_PLACE, "[exec and dynamic linking]");
	arcs_recorded_attach(&recorder.entry, faults_to_block());
	return true;
}

/* Makes the entry of a forked child at its first tick only: it may be about to exec. Another thread
 * may tick at the same time. False: there is no entry (yet). */
static bool is_ready(void)
{
	int none = NOT_READY;

	if (atomic_load_explicit(&recorder.readiness, memory_order_acquire) == READY)
		return recorder.entry.process;
	if (!atomic_compare_exchange_strong(&recorder.readiness, &none, GETTING_READY))
		return false;
	if (enter(true))
		write_sampler();
	atomic_store_explicit(&recorder.readiness, READY, memory_order_release);
	return recorder.entry.process;
}

/* Runs in the parent: the child may run much later, when the parent has closed a library. */
static void before_fork(void)
{
	atomic_store(&recorder.forking, instant_now());
	atomic_store(&recorder.is_handled, false);
}

/* Resets the child. Called by the sampler and by ourselves, in any order. */
static void after_fork(struct sink *sink)
{
	(void)sink;
	if (atomic_exchange(&recorder.is_handled, true))
		return;
	/* A process that forks before its first tick has no entry: its parent's maps hold. */
	if (recorder.entry.process) {
		recorder.parent = recorder.entry;
		recorder.parent.names = recorder.names; /* its sampler is among them */
		recorder.forked = atomic_load(&recorder.forking);
	}
	if (recorder.sampler)
		recorder.parent_sampler = recorder.sampler;
	recorder.entry.process = NULL;
	recorder.sampler = NULL;
	recorder.unplaced_ns = 0;
	regions_after_fork();
	atomic_store(&recorder.last, NULL);
	sys_madvise(recorder.stacks_memory, STACKS_BYTES, MADV_DONTNEED);
	writers_after_fork();
	atomic_store(&recorder.readiness, NOT_READY);
}

/* Runs in the child. Functions there must not count in the parent's arcs, and cannot make an entry
 * themselves. Without a clock, the sampler does not call after_fork(). */
static void count_in_child(void)
{
	bool were_counted = arcs_next_thread(NULL);

	arcs_after_fork(true);
	if (recorder.flags & RECORD_NO_FOLLOW) {
		arcs_is_wanted = 0;
		return;
	}
	after_fork(&recorder.sink);
	if (!sandbox_permits(SYS_timer_create) && !sandbox_permits(SYS_perf_event_open))
		room_lost_in_sandbox(RECORD_SANDBOX_CLOCKS);
	if (were_counted)
		is_ready();
}

/* Writes how much CPU time no sample stands for, of events only that there is some; and what
 * regions have lost. A thread without ticks may get some again, or end: then its time is billed,
 * and is not lost any more. Under the lock. */
static void write_losses(void)
{
	struct profil_clock_info info;
	uint64_t ns;

	recorder.sampler->lost_regions = regions_lost();
	if (recorder.is_event) {
		if (roster_had_refusals())
			recorder.sampler->refused = EMFILE;
		return;
	}
	sampler_info(&info);
	ns = info.lost * recorder.tick_ns;
	recorder.sampler->unwatched_ns = ns > recorder.unplaced_ns ? ns : recorder.unplaced_ns;
}

/* Runs once per second of CPU time, under the lock. */
static void chore(struct sink *sink)
{
	(void)sink;
	mapped_renew();
	entry_rename(&recorder.entry);
	if (recorder.sampler)
		write_losses();
}

static void before_exec(struct sink *sink)
{
	(void)sink;
	handover_leave();
}

/* ---- a tick ---- */

static void lose(uint64_t ns)
{
	room_lost_in_sandbox(RECORD_SANDBOX_ROOM);
	sampler_notes_lost(recorder.sampler, ns);
}

/* Returns whether the user has paused the recording: a load from a page that is mapped anyway. */
static bool is_paused(void)
{
	return __atomic_load_n(&room_header()->flags, __ATOMIC_RELAXED) & RECORD_PAUSED;
}

/* Finds the frame. A thread that has ended was last seen at its last sample. */
static bool find_frame(struct writer *writer, const struct sink_ticks *ticks)
{
	struct stack stack;

	if (is_paused()) {
		writer->last = RECORD_SAMPLE_PAUSED;
		writer->has_last = true;
		return true;
	}
	if (!ticks->uc && writer->has_last)
		return true;
	stack = walk_stack(writer, ticks, !(recorder.flags & RECORD_NO_STACKS));
	if (ticks->uc)
		regions_add(writer, &stack);
	writer->has_last = stacks_number(&recorder.stacks, &writer->stacks, &stack, &writer->last);
	writer->last_hash = stack.hashes[0];
	return writer->has_last;
}

/* Returns the weight. The first tick of a thread comes early by the time that was lent to it. */
static uint64_t weight_of(const struct sink_ticks *ticks)
{
	uint64_t ns = ticks->weight * recorder.tick_ns;

	if (ticks->thread) {
		ns -= (uint64_t)ticks->thread->lent_ns;
		ticks->thread->lent_ns = 0;
	}
	return ns + sampler_notes_take_unsampled(recorder.parent_sampler);
}

/* Returns whether the ring of the thread's event has what this tick is about. */
static bool has_kernel(const struct sink_ticks *ticks)
{
	return recorder.has_kernel && ticks->uc && ticks->thread && !ticks->is_coarse;
}

/* Writes the sample, or several: functions of the kernel are above the program's. */
static bool write_samples(struct writer *writer, const struct sink_ticks *ticks, uint64_t ns)
{
	if (!find_frame(writer, ticks))
		return false;
	if (has_kernel(ticks) && writer->last != RECORD_SAMPLE_PAUSED)
		return kernel_stacks_write(&recorder.stacks, writer, ticks->thread, ns,
					   instant_now());
	return add_sample(writer, ns);
}

static enum sink_answer take(struct sink *sink, const struct sink_ticks *ticks)
{
	uint64_t ns = weight_of(ticks);
	struct writer *writer = NULL;

	(void)sink;
	if (is_ready())
		writer = writers_of(ticks->thread, &recorder.entry, recorder.weight_ns);
	if (sys_filter && roster_had_refusals())
		room_lost_in_sandbox(RECORD_SANDBOX_CLOCKS);
	if (!writer || !write_samples(writer, ticks, ns))
		lose(ns);
	if (ticks->thread)
		sampler_notes_pace(recorder.sampler, ticks->thread->governor.pace,
				   ticks->weight * recorder.tick_ns);
	if (ticks->is_coarse)
		sampler_notes_coarse(recorder.sampler, ns);
	if (writer) {
		atomic_store_explicit(&recorder.last, writer, memory_order_relaxed);
		if (has_kernel(ticks))
			kernel_stacks_done(writer, ticks->thread);
		writers_done(writer);
	}
	return SINK_COUNTED;
}

/* ---- the end of a thread, or of the process ---- */

/* Adds a sample at an address alone, for time used before the first tick. */
static int64_t add_past(struct thread *thread, int64_t ns, uintptr_t pc)
{
	struct sink_ticks ticks = { .pc = pc, .thread = thread };
	struct writer *writer = NULL;
	bool is_added;

	if (is_ready())
		writer = writers_of(thread, &recorder.entry, recorder.weight_ns);
	is_added = writer && find_frame(writer, &ticks) && add_sample(writer, (uint64_t)ns);
	if (writer)
		writers_done(writer);
	return is_added ? 0 : ns;
}

/* Adds to the last sample; any excess becomes another one of the same stack. */
static int64_t adjust(struct writer *writer, int64_t ns)
{
	int64_t rest = samples_adjust(&writer->samples, ns);

	if (rest > 0 && rest < ns && writer->has_last &&
	    samples_add_ns(&writer->samples, writer->last, (uint64_t)rest, instant_now()))
		rest = 0;
	return rest;
}

/*
 * Bills a known thread at its last place. The time of one that was never seen is shown where any
 * other thread was: it is less than a few ticks. Samples of the dynamic linker are of its own time.
 */
static int64_t settle(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc)
{
	struct writer *writer = thread ? writers_find(thread) : atomic_load(&recorder.last);

	(void)sink;
	if (!writer && pc && ns > 0)
		return add_past(thread, ns, pc);
	if (!writer || (!pc && ns > 0))
		return ns;
	if (thread)
		writers_name(writer);
	return adjust(writer, ns);
}

/* Leaves the time of a forked child without a tick, which has no entry, to those that have one.
 * Under the lock. */
static void ended(struct sink *sink, int64_t unplaced_ns)
{
	(void)sink;
	if (unplaced_ns > 0)
		recorder.unplaced_ns += (uint64_t)unplaced_ns;
	if (recorder.sampler)
		write_losses();
	else if (recorder.parent_sampler && unplaced_ns > 0)
		atomic64_add(&recorder.parent_sampler->unsampled_ns, (uint64_t)unplaced_ns);
}

/* ---- the start ---- */

/*
 * Starts the sampler. Time that the process used before us has a place of its own: it is that of
 * exec() and of the dynamic linker, and no function's.
 */
static int start_sampler(const struct recorder_program *program)
{
	const struct record_header *header = room_header();
	const char *clock = header->sampling_clock;
	struct sampler_setting setting = { .hz = header->hz,
					   .clock = *clock ? clock : NULL,
					   .own_clock = recorder.is_event ? &clock_event : NULL,
					   .hz_refusal = "invalid frequency in the recording",
					   .clock_refusal = "unknown clock in the recording" };
	int err;

	recorder.sink.has_past = true;
	recorder.sink.past_since_ns =
		sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - handover_take(program->objects);
	recorder.sink.past_pc = PAST_PLACE;
	err = sampler_start(&recorder.sink, &setting);
	recorder.sink.has_past = false;
	recorder.refused = -err;
	write_sampler();
	if (err)
		sampler_stop();
	return err;
}

/* Chooses the event that the recording is to count. Returns false if it counts time. */
static bool choose_event(void)
{
	const struct record_segment *setup;
	const struct record_event *event = room_segment_at(RECORD_SETUP, RECORD_GRAIN);

	if (!event)
		return false;
	setup = (const struct record_segment *)event - 1;
	recorder.is_event = event->item.kind == RECORD_EVENT && event->item.size >= sizeof(*event);
	if (recorder.is_event)
		clock_event_choose(event, recorder.hz, recorder.has_kernel);
	sys_munmap((void *)setup, RECORD_GRAIN);
	return recorder.is_event;
}

int recorder_start(const struct recorder_program *program, recorder_entry *entry)
{
	const struct record_header *header = room_header();
	sys_sigset mask;
	int err;

	recorder.calls_entry = entry;
	recorder.hz = header->hz;
	recorder.tick_ns = UINT64_C(1000000000) / header->hz;
	recorder.weight_ns = WEIGHT_NS;
	recorder.has_kernel = header->flags & RECORD_KERNEL_STACKS;
	if (recorder.has_kernel)
		clock_perf_use_ring(perf_ring_prepare_chains, PERF_RING_BYTES);
	if (choose_event()) {
		recorder.tick_ns = 1;
		recorder.weight_ns = WEIGHT_EVENT;
		recorder.sink.is_governed = false; /* the user has chosen the rate */
	}
	recorder.flags = header->flags;
	recorder.sink.follows_fork = !(header->flags & RECORD_NO_FOLLOW);
	recorder.stacks_memory = sys_memory(STACKS_BYTES);
	if (!recorder.stacks_memory || mapped_init() || walk_init(program))
		return -ENOMEM;
	pthread_atfork(before_fork, NULL, count_in_child);
	mapped_on_gone(arcs_recorded_unmapped);
	mask = lock_take();
	err = enter(false) ? 0 : -ENOSPC;
	recorder.readiness = READY;
	if (!err) {
		regions_start();
		arcs_start();
		err = start_sampler(program);
	}
	lock_release(mask);
	return err;
}

void recorder_prepare(void)
{
	sys_sigset mask;

	sampler_steady();
	mask = lock_take();
	if (recorder.hz && is_ready())
		for (struct thread *t = threads_next(NULL); t; t = threads_next(t))
			writers_prepare(t);
	lock_release(mask);
}

void recorder_end(void)
{
	entry_rename(&recorder.entry);
	sampler_settle();
}
