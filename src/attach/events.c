/* SPDX-License-Identifier: MIT */
#include "attach/events.h"

#include <stdlib.h>
#include <string.h>

#include "attach/blocked.h"
#include "perf_regs.h"

#define REREAD_NS UINT64_C(1000000000)

static uint64_t ticks_of(const struct attach *attach, const struct event *event)
{
	return timeline_ticks(&attach->timeline, event->time);
}

/* Returns NULL if it was not requested. */
static struct target *target_of(const struct attach *attach, pid_t pid)
{
	for (size_t i = 0; i < attach->options.pid_count; i++)
		if (attach->options.pids[i] == pid)
			return &attach->targets[i];
	return NULL;
}

/* Returns true if an unknown process is to be watched. */
static bool is_wanted(const struct attach *attach, pid_t pid)
{
	return attach->options.follow || target_of(attach, pid);
}

static struct watched_thread *add_thread(struct attach *attach, struct watched_process *process,
					 pid_t tid, const char *name)
{
	struct watched_thread *thread = watched_thread_new(process, tid, name);

	if (!thread || watched_roster_add_thread(&attach->roster, thread))
		return NULL;
	return thread;
}

/* Adds an unannounced process: the event was lost, or came before the ring existed. */
static struct watched_process *adopt_process(struct attach *attach, const struct event *event)
{
	struct proc_stat stat = { 0 };
	struct watched_process *process;

	if (!is_wanted(attach, event->pid))
		return NULL;
	proc_stat(event->pid, &stat);
	process = watched_process_new(event->pid, stat.parent, ticks_of(attach, event));
	if (!process || watched_roster_add_process(&attach->roster, process))
		return NULL;
	watched_process_reread(process, &attach->context, ticks_of(attach, event));
	return process;
}

static struct watched_thread *adopt_thread(struct attach *attach, const struct event *event)
{
	struct watched_process *process = watched_roster_process(&attach->roster, event->pid);
	char name[16];

	if (!process)
		process = adopt_process(attach, event);
	if (!process)
		return NULL;
	proc_name(event->pid, event->tid, name);
	return add_thread(attach, process, event->tid, name);
}

static void end_thread(struct attach *attach, struct watched_thread *thread, uint64_t time)
{
	account_wait(&thread->account, time / attach->context.unit_ns);
	blocked_ends(attach, thread, time);
	watched_roster_end(&attach->roster, thread);
}

/* Returns true if we found the thread in /proc before the event that announces it. Otherwise ends a
 * known thread of that number, whose end was not reported. */
static bool is_quicker(struct attach *attach, const struct event *event)
{
	struct watched_thread *known = watched_roster_thread(&attach->roster, event->tid);

	if (!known)
		return false;
	if (known->root == event->tid)
		return true;
	end_thread(attach, known, event->time);
	return false;
}

static void on_fork(struct attach *attach, const struct event *event)
{
	struct watched_process *process, *parent;
	const struct watched_thread *creator;
	struct watched_thread *thread;

	if (is_quicker(attach, event))
		return;
	parent = process = watched_roster_process(&attach->roster, event->parent_pid);
	if (!parent || (event->pid != event->parent_pid && !attach->options.follow))
		return;
	if (event->pid != event->parent_pid) {
		process = watched_process_fork(parent, &attach->context, event->pid,
					       ticks_of(attach, event));
		if (!process || watched_roster_add_process(&attach->roster, process))
			return;
	}
	creator = watched_roster_thread(&attach->roster, event->parent_tid);
	thread = add_thread(attach, process, event->tid, creator ? creator->name : "");
	if (thread)
		blocked_born(thread, event->time);
	if (thread && creator)
		thread->root = creator->root;
}

static void on_end(struct attach *attach, const struct event *event)
{
	struct watched_thread *thread = watched_roster_thread(&attach->roster, event->tid);

	if (thread)
		end_thread(attach, thread, event->time);
}

/* Begins the first program of a process: it was waiting for that, or its start was not reported. */
static void begin_program(struct attach *attach, struct watched_process *process,
			  const struct event *event)
{
	struct target *target = target_of(attach, event->pid);
	struct watched_thread *thread;

	if (watched_roster_add_process(&attach->roster, process))
		return;
	thread = add_thread(attach, process, event->tid, event->name);
	if (thread && target && target->is_pending) {
		thread->root = event->tid;
		thread->base_ns = target->before.cpu_ns;
		waits_begin(&thread->blocked.waits, event->time, &target->before);
		target->is_pending = false;
	}
	watched_process_enter(process, &attach->context);
}

/* Finds the thread that called exec(), which takes the number of its process. Its previous number
 * is not reported if it was another one: then its time cannot be separated from that of others. */
static struct watched_thread *thread_of_exec(struct attach *attach, struct watched_process *before,
					     const struct event *event)
{
	struct watched_thread *thread = watched_roster_thread(&attach->roster, event->tid);

	if (thread)
		return thread;
	attach->counters.sums_mislead = true;
	thread = add_thread(attach, before, event->tid, event->name);
	if (thread)
		thread->is_unaccountable = true;
	return thread;
}

/* Ends the program of the thread that called exec(). Its other threads have ended before, reported
 * or not. */
static void leave_program(struct attach *attach, struct watched_thread *thread, uint64_t time)
{
	for (size_t i = attach->roster.thread_count; i-- > 0;) {
		struct watched_thread *other = attach->roster.threads[i];

		if (other->process == thread->process && other != thread)
			end_thread(attach, other, time);
	}
	blocked_leaves(attach, thread, time);
}

static void on_exec(struct attach *attach, const struct event *event)
{
	struct watched_process *before = watched_roster_process(&attach->roster, event->pid),
			       *process;
	struct proc_stat stat = { 0 };
	struct watched_thread *thread;

	if (!before && !is_wanted(attach, event->pid))
		return;
	proc_stat(event->pid, &stat);
	process = watched_process_new(event->pid, stat.parent, ticks_of(attach, event));
	if (!process)
		return;
	if (!before) {
		begin_program(attach, process, event);
		return;
	}
	thread = thread_of_exec(attach, before, event);
	if (!thread) {
		watched_process_free(process);
		return;
	}
	leave_program(attach, thread, event->time);
	watched_roster_exec(&attach->roster, thread, process);
	watched_process_enter(process, &attach->context);
}

static void on_name(struct attach *attach, const struct event *event)
{
	struct watched_thread *thread;

	if (event->misc & PERF_RECORD_MISC_COMM_EXEC)
		on_exec(attach, event);
	thread = watched_roster_thread(&attach->roster, event->tid);
	if (thread)
		watched_thread_rename(thread, event->name);
}

static void on_map(struct attach *attach, const struct event *event)
{
	struct watched_process *process = watched_roster_process(&attach->roster, event->pid);
	struct proc_map map = { .start = event->map.start,
				.end = event->map.start + event->map.size,
				.offset = event->map.offset,
				.inode = event->map.inode,
				.is_executable = event->map.is_executable,
				.path = event->map.path };

	if (process)
		watched_process_map(process, &attach->context, &map, ticks_of(attach, event));
}

static void count_lost(struct attach *attach, struct record_sampler *sampler, uint64_t lost)
{
	attach->lost += lost;
	attach->announced += lost;
	if (sampler) {
		sampler->lost += lost;
		sampler->lost_ns += lost * attach->options.event.period;
	}
}

static void on_lost(struct attach *attach, const struct event *event)
{
	const struct watched_process *process = watched_roster_process(&attach->roster, event->pid);
	struct record_sampler *sampler = process ? process->sampler : NULL;

	attach->has_lost = true;
	/* The process has ended, or its start is among the lost events. */
	if (!sampler)
		sampler = attach->context.first;
	count_lost(attach, sampler, event->lost);
}

void events_end(struct attach *attach)
{
	uint64_t lost = counters_lost(&attach->counters);

	if (lost > attach->announced)
		count_lost(attach, attach->context.first, lost - attach->announced);
}

static void take_registers(struct registers *registers, const uint64_t *words)
{
	for (unsigned i = 0; i < ARCH_FRAME_REGISTERS; i++)
		registers->value[i] = (uintptr_t)words[arch_perf_word[i]];
	registers->known = REGISTERS_ALL;
	registers->exact = true;
}

/* Rereads the mappings for code at an unknown address: it was moved there, or the event was
 * lost. */
static void look_again(struct attach *attach, struct watched_process *process,
		       const struct event *event, uint64_t pc)
{
	if (watched_process_knows(process, pc) || event->time - process->reread < REREAD_NS)
		return;
	process->reread = event->time;
	watched_process_reread(process, &attach->context, ticks_of(attach, event));
}

static void find_frames(struct attach *attach, struct watched_process *process,
			const struct event *event)
{
	const struct event_sample *sample = &event->sample;
	struct walker_frames *frames = &attach->frames;
	struct walker_stack stack = { .copy = sample->stack,
				      .copy_bytes = sample->stack_bytes,
				      .is_cut = sample->is_cut };

	take_registers(&stack.registers, sample->registers);
	look_again(attach, process, event, stack.registers.value[ARCH_FRAME_PC]);
	if (attach->options.stacks && sample->abi == ARCH_PERF_ABI) {
		watched_process_walk(process, &attach->context, &stack, ticks_of(attach, event),
				     frames);
		return;
	}
	frames->pcs[0] = stack.registers.value[ARCH_FRAME_PC];
	frames->depth = frames->certain = 1;
	frames->end = RECORD_STACK_NONE;
}

/* Returns true if this counter is the one that counts. A thread found while its creator was being
 * opened may be counted twice. */
static bool is_counted_by(const struct attach *attach, struct watched_thread *thread, uint64_t id)
{
	pid_t root = counters_root(&attach->counters, id);

	if (!thread->root)
		thread->root = root;
	return root == thread->root;
}

/* Returns what a sample stands for. With a frequency, the kernel reports the periods of software
 * events one sample late; the first is 1. */
static uint64_t weight_of(const struct attach *attach, struct watched_thread *thread,
			  const struct event *event)
{
	const struct attach_event *wanted = &attach->options.event;
	uint64_t period = event->sample.period;

	if (wanted->event && !wanted->period && wanted->event->type == PERF_TYPE_SOFTWARE) {
		period = thread->period ? thread->period : 1;
		thread->period = event->sample.period;
	}
	return period;
}

static void on_sample(struct attach *attach, const struct event *event)
{
	struct watched_thread *thread = watched_roster_thread(&attach->roster, event->tid);
	struct watched_thread_sample sample = { .time = ticks_of(attach, event),
						.time_ns = event->time,
						.frames = &attach->frames };
	uint32_t stack;

	if (!thread)
		thread = adopt_thread(attach, event);
	if (!thread || !is_counted_by(attach, thread, event->id))
		return;
	/* In the middle of exec() or at the end of a thread it is in no program: the samples around
	 * it will stand for that time. */
	if (!event->sample.registers)
		return;
	sample.ns = weight_of(attach, thread, event);
	find_frames(attach, thread->process, event);
	attach->frames.kernel = event->sample.chain;
	attach->frames.kernel_count = event->sample.chain_count;
	if (watched_thread_write(thread, &attach->context, &sample, &stack)) {
		attach->samples++;
		blocked_ran(attach, thread, &sample);
	} else {
		attach->lost++;
		if (thread->process->sampler)
			thread->process->sampler->lost++;
	}
	attach->frames.kernel_count = 0; /* it is of this event alone */
}

void events_take(struct attach *attach, const struct event *event)
{
	switch (event->type) {
	case PERF_RECORD_SAMPLE:
		on_sample(attach, event);
		break;
	case PERF_RECORD_MMAP2:
		on_map(attach, event);
		break;
	case PERF_RECORD_COMM:
		on_name(attach, event);
		break;
	case PERF_RECORD_FORK:
		on_fork(attach, event);
		break;
	case PERF_RECORD_EXIT:
		on_end(attach, event);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		on_lost(attach, event);
		break;
	default:
		break;
	}
}

static bool is_alive(pid_t tid)
{
	struct proc_stat stat;

	return proc_stat(tid, &stat) == 0 && stat.state != 'Z' && stat.state != 'X';
}

/* Ends missing threads. The last samples of one may still be on their way: so it must be missing
 * twice. */
static void check_threads(struct attach *attach)
{
	for (size_t i = attach->roster.thread_count; i-- > 0;) {
		struct watched_thread *thread = attach->roster.threads[i];
		bool is_missing = !is_alive(thread->tid);

		if (is_missing && thread->is_missing)
			end_thread(attach, thread, thread->blocked.waits.time);
		else
			thread->is_missing = is_missing;
	}
}

void events_check(struct attach *attach)
{
	uint64_t now = timeline_ticks(&attach->timeline, timeline_now(&attach->timeline));

	check_threads(attach);
	for (size_t i = 0; i < attach->roster.process_count; i++)
		watched_process_rename(attach->roster.processes[i]);
	for (size_t i = 0; attach->has_lost && i < attach->roster.process_count; i++)
		watched_process_reread(attach->roster.processes[i], &attach->context, now);
	attach->has_lost = false;
}
