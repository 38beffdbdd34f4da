/* SPDX-License-Identifier: MIT */
#include "attach/blocked.h"

#include <sys/uio.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define COPY_BYTES    16384 /* of the stack at once */
#define SKIP_MAX      15    /* looks that a thread is spared that has not moved for long */

/* Other threads of ours may be anywhere, but we are one. */
static char copy[COPY_BYTES];

int blocked_check(pid_t pid, struct err *err)
{
	struct proc_place place;
	int status = proc_place(pid, pid, &place), scope;

	if (status != -EPERM && status != -EACCES)
		return 0;
	scope = proc_setting("/proc/sys/kernel/yama/ptrace_scope");
	if (scope > 0)
		return err_set(err, EPERM,
			       "where threads of process %d wait cannot be seen: "
			       "kernel.yama.ptrace_scope is %d, and 0 or root is needed",
			       (int)pid, scope);
	return err_set(err, EPERM,
		       "where threads of process %d wait cannot be seen: that takes its user or "
		       "root",
		       (int)pid);
}

static bool has_moved(const struct proc_schedule *before, const struct proc_schedule *after)
{
	return before->runs != after->runs || before->cpu_ns != after->cpu_ns;
}

/* The thread is at a system call, of which only two registers are told. */
static bool find_stack(struct attach *attach, struct thread *thread, const struct proc_place *place)
{
	struct walker_stack stack = {
		.registers = { .known = UINT64_C(1) << ARCH_FRAME_SP | UINT64_C(1) << ARCH_FRAME_PC,
			       .exact = true },
		.copy = copy,
		.is_cut = true,
	};
	struct iovec from = { (void *)(uintptr_t)place->sp, sizeof(copy) };
	struct iovec into = { copy, sizeof(copy) };
	ssize_t bytes = process_vm_readv(thread->process->pid, &into, 1, &from, 1, 0);

	if (bytes <= 0)
		return false;
	stack.registers.value[ARCH_FRAME_SP] = place->sp;
	stack.registers.value[ARCH_FRAME_PC] = place->pc;
	stack.copy_bytes = (size_t)bytes;
	stack.is_cut = bytes == sizeof(copy);
	if (attach->options.stacks && process_enter(thread->process, &attach->context)) {
		process_walk(thread->process, &stack, &attach->frames);
		return true;
	}
	attach->frames.pcs[0] = place->pc;
	attach->frames.depth = attach->frames.certain = 1;
	attach->frames.end = RECORD_STACK_NONE;
	return true;
}

static void write_sample(struct attach *attach, struct thread *thread, uint64_t now, bool is_known)
{
	struct thread_blocked *blocked = &thread->blocked;
	struct thread_sample sample = { .time = timeline_ticks(&attach->timeline, now),
					.time_ns = now,
					.ns = blocked->owed_ns,
					.is_blocked = true,
					.stack = blocked->stack,
					.frames = is_known ? NULL : &attach->frames };

	/* Less than a unit would be nothing. */
	if (blocked->owed_ns < attach->context.unit_ns)
		return;
	if (!thread_write(thread, &attach->context, &sample, &blocked->stack)) {
		attach->lost++;
		return;
	}
	blocked->has_stack = true;
	blocked->owed_ns = 0;
	attach->samples++;
}

/* It has run since the last look, and may be anywhere. */
static void look_anew(struct attach *attach, struct thread *thread, uint64_t now)
{
	struct thread_blocked *blocked = &thread->blocked;
	struct proc_schedule after;
	struct proc_place place;

	blocked->skips = blocked->skip = 0;
	if (proc_place(thread->process->pid, thread->tid, &place) || place.is_running) {
		blocked->has_stack = false;
		return;
	}
	if (!find_stack(attach, thread, &place) ||
	    !proc_schedule(thread->process->pid, thread->tid, &after) ||
	    has_moved(&blocked->seen, &after)) {
		/* It went on while we looked: what we have seen may be a mixture. */
		blocked->has_stack = false;
		return;
	}
	write_sample(attach, thread, now, false);
}

/* It has been where it is ever since: there is nothing to find out. */
static void look_again(struct attach *attach, struct thread *thread, uint64_t now)
{
	struct thread_blocked *blocked = &thread->blocked;

	write_sample(attach, thread, now, true);
	if (blocked->skips < SKIP_MAX)
		blocked->skips++;
	blocked->skip = blocked->skips;
}

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void look_at(struct attach *attach, struct thread *thread, uint64_t now)
{
	struct thread_blocked *blocked = &thread->blocked;
	struct proc_schedule seen;
	uint64_t elsewhere;
	bool moved;

	if (!proc_schedule(thread->process->pid, thread->tid, &seen))
		return;
	moved = has_moved(&blocked->seen, &seen);
	if (blocked->time) {
		elsewhere = less(seen.cpu_ns, blocked->seen.cpu_ns) +
			    less(seen.wait_ns, blocked->seen.wait_ns);
		blocked->owed_ns += less(now - blocked->time, elsewhere);
		/* Where it was for long is where it has waited. */
		if (moved && blocked->skips > 1 && blocked->has_stack)
			write_sample(attach, thread, now, true);
	}
	blocked->time = now;
	blocked->seen = seen;
	if (moved || !blocked->has_stack)
		look_anew(attach, thread, now);
	else
		look_again(attach, thread, now);
}

static void look_at_all(struct attach *attach, uint64_t now, bool is_last)
{
	for (size_t i = 0; i < attach->roster.thread_count; i++) {
		struct thread *thread = attach->roster.threads[i];

		if (thread->blocked.skip && !is_last)
			thread->blocked.skip--;
		else
			look_at(attach, thread, now);
	}
	attach->looked = now;
}

static uint64_t interval(const struct attach *attach)
{
	return NS_PER_SECOND / attach->options.blocked_hz;
}

void blocked_look(struct attach *attach, uint64_t now)
{
	if (attach->options.blocked_hz && now - attach->looked >= interval(attach))
		look_at_all(attach, now, false);
}

void blocked_last_look(struct attach *attach, uint64_t now)
{
	if (attach->options.blocked_hz)
		look_at_all(attach, now, true);
}

int blocked_timeout(const struct attach *attach, uint64_t now, int timeout_ms)
{
	uint64_t left;
	int left_ms;

	if (!attach->options.blocked_hz)
		return timeout_ms;
	left = less(attach->looked + interval(attach), now);
	left_ms = (int)((left + 999999) / 1000000);
	return timeout_ms < 0 || left_ms < timeout_ms ? left_ms : timeout_ms;
}
