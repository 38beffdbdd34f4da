/* SPDX-License-Identifier: MIT */
#include "attach/blocked.h"

#include <string.h>
#include <sys/uio.h>

#define NS_PER_SECOND UINT64_C(1000000000)
#define SCRIPTS_MS    1     /* how soon a sample of an interpreter is handled */
#define COPY_BYTES    16384 /* of the stack at once */
#define SKIP_MAX      15    /* looks skipped for a thread that has not moved for long */
#define PATIENCE_NS   INT64_C(1000000000) /* of waiting at an unknown place */

/* Static, since only one thread of ours uses it. */
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
			       "cannot see where threads of process %d wait: "
			       "kernel.yama.ptrace_scope is %d; 0 or root is needed",
			       (int)pid, scope);
	return err_set(err, EPERM,
		       "cannot see where threads of process %d wait: that needs its user or root",
		       (int)pid);
}

static bool has_moved(const struct proc_schedule *before, const struct proc_schedule *after)
{
	return before->runs != after->runs || before->cpu_ns != after->cpu_ns;
}

/* ---- samples ---- */

static uint64_t period_ns(const struct attach *attach)
{
	return NS_PER_SECOND / attach->options.hz;
}

/* Writes the whole units of one of the sums as a sample; *stack receives the number of its
 * stack. */
static bool write_sample(struct attach *attach, struct watched_thread *thread, int64_t *sum,
			 uint64_t now, const struct walker_frames *frames, uint32_t *stack)
{
	struct watched_thread_sample sample = { .time = timeline_ticks(&attach->timeline, now),
						.time_ns = now,
						.ns = waits_take(sum, attach->context.unit_ns),
						.is_blocked = true,
						.stack = *stack,
						.frames = frames };

	if (!sample.ns)
		return false;
	if (!watched_thread_write(thread, &attach->context, &sample, stack)) {
		attach->lost++;
		return false;
	}
	attach->samples++;
	return true;
}

static void write_blocked(struct attach *attach, struct watched_thread *thread, uint64_t now,
			  bool is_known)
{
	struct watched_thread_blocked *blocked = &thread->blocked;

	if (write_sample(attach, thread, &blocked->waits.blocked_ns, now,
			 is_known ? NULL : &attach->frames, &blocked->stack))
		blocked->has_stack = blocked->is_there = true;
}

/* Writes time blocked in places that no look has found. A process without other samples is not
 * worth an entry in the recording. */
static void write_unseen(struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct walker_frames *frames = &attach->frames;
	uint32_t stack = 0;

	if (!thread->process->record || !watched_process_name_waits(thread->process))
		return;
	frames->pcs[0] = PROCESS_UNSEEN;
	frames->depth = frames->certain = 1;
	frames->end = RECORD_STACK_COMPLETE;
	write_sample(attach, thread, &thread->blocked.waits.blocked_ns, now, frames, &stack);
}

/* Writes the rest: nothing better will be known, so it goes to the thread's last known place. */
static void write_rest(struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct watched_thread_blocked *blocked = &thread->blocked;
	struct waits *waits = &blocked->waits;

	if (!blocked->has_queue_stack) {
		waits->blocked_ns += waits->queued_ns;
		waits->queued_ns = 0;
	}
	waits_level(waits);
	if (blocked->has_queue_stack)
		write_sample(attach, thread, &waits->queued_ns, now, NULL, &blocked->queue_stack);
	if (blocked->has_stack)
		write_sample(attach, thread, &waits->blocked_ns, now, NULL, &blocked->stack);
	else
		write_unseen(attach, thread, now);
}

/* Adds a frame for waiting for a CPU, as if the code had called it. */
static void call_for_cpu(struct walker_frames *frames, bool has_callers)
{
	uint32_t kept = has_callers ? frames->depth : 0;

	if (kept == UNWIND_DEPTH) {
		kept--;
		frames->end = RECORD_STACK_TOO_DEEP;
	}
	memmove(&frames->pcs[1], frames->pcs, kept * sizeof(frames->pcs[0]));
	frames->pcs[0] = PROCESS_NO_CPU;
	frames->pcs[1]++; /* a caller is looked up at the address before */
	frames->depth = kept + 1;
	frames->certain++;
	if (frames->certain > frames->depth)
		frames->certain = frames->depth;
}

/* ---- looks ---- */

/* Copies the stack of a thread in a system call. It may change while being copied. */
static bool copy_stack(const struct watched_thread *thread, const struct proc_place *place,
		       struct walker_stack *stack)
{
	struct iovec from = { (void *)(uintptr_t)place->sp, sizeof(copy) };
	struct iovec into = { copy, sizeof(copy) };
	ssize_t bytes = process_vm_readv(thread->process->pid, &into, 1, &from, 1, 0);

	*stack = (struct walker_stack){ .copy = copy,
					.copy_bytes = bytes > 0 ? (size_t)bytes : 0,
					.is_cut = bytes == sizeof(copy) };
	return bytes > 0;
}

/* Finds the frames. /proc reports only two registers of a system call. */
static void find_frames(struct attach *attach, struct watched_thread *thread, uint64_t now,
			const struct proc_place *place, struct walker_stack *stack)
{
	stack->registers = (struct registers){
		.known = UINT64_C(1) << ARCH_FRAME_SP | UINT64_C(1) << ARCH_FRAME_PC,
		.exact = true,
	};
	stack->registers.value[ARCH_FRAME_SP] = place->sp;
	stack->registers.value[ARCH_FRAME_PC] = place->pc;
	if (attach->options.stacks && watched_process_enter(thread->process, &attach->context)) {
		watched_process_walk(thread->process, &attach->context, stack,
				     timeline_ticks(&attach->timeline, now), &attach->frames);
		return;
	}
	attach->frames.pcs[0] = place->pc;
	attach->frames.depth = attach->frames.certain = 1;
	attach->frames.end = RECORD_STACK_NONE;
}

/* Looks at a thread that has run since the last look, and may be anywhere. */
static void look_anew(struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct watched_thread_blocked *blocked = &thread->blocked;
	struct proc_schedule after;
	struct walker_stack stack;
	struct proc_place place;

	blocked->skips = blocked->skip = 0;
	blocked->is_there = false;
	if (proc_place(thread->process->pid, thread->tid, &place) || place.is_running)
		return;
	/* If it continued while we looked, the result may be inconsistent. Waits may be short: so
	 * check that before anything else. */
	if (!copy_stack(thread, &place, &stack) ||
	    !proc_schedule(thread->process->pid, thread->tid, &after) ||
	    has_moved(&blocked->waits.seen, &after))
		return;
	find_frames(attach, thread, now, &place, &stack);
	write_blocked(attach, thread, now, false);
}

/* Looks at a thread that has not moved since: there is nothing new. */
static void look_again(struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct watched_thread_blocked *blocked = &thread->blocked;

	write_blocked(attach, thread, now, true);
	if (blocked->skips < SKIP_MAX)
		blocked->skips++;
	blocked->skip = blocked->skips;
}

static void look_at(struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct watched_thread_blocked *blocked = &thread->blocked;
	struct waits *waits = &blocked->waits;
	struct proc_schedule seen;
	bool moved;

	if (!proc_schedule(thread->process->pid, thread->tid, &seen))
		return;
	moved = has_moved(&waits->seen, &seen);
	waits_look(waits, now, &seen);
	/* It has waited at the place where it was for long. */
	if (moved && blocked->skips > 1 && blocked->is_there)
		write_blocked(attach, thread, now, true);
	if (moved || !blocked->is_there)
		look_anew(attach, thread, now);
	else
		look_again(attach, thread, now);
	if (waits->blocked_ns + waits->queued_ns > PATIENCE_NS)
		write_rest(attach, thread, now);
}

/* ---- events ---- */

void blocked_found(const struct attach *attach, struct watched_thread *thread, uint64_t now)
{
	struct proc_schedule seen;

	if (attach->options.blocked_hz && proc_schedule(thread->process->pid, thread->tid, &seen))
		waits_begin(&thread->blocked.waits, now, &seen);
}

void blocked_born(struct watched_thread *thread, uint64_t time)
{
	waits_begin(&thread->blocked.waits, time, &(struct proc_schedule){ 0 });
}

void blocked_ran(struct attach *attach, struct watched_thread *thread,
		 const struct watched_thread_sample *sample)
{
	struct watched_thread_blocked *blocked = &thread->blocked;
	int64_t *queued_ns = &blocked->waits.queued_ns;

	if (!attach->options.blocked_hz)
		return;
	blocked->skip = 0;
	waits_ran(&blocked->waits, sample->time_ns, sample->ns);
	if (*queued_ns < (int64_t)period_ns(attach) || !watched_process_name_waits(thread->process))
		return;
	call_for_cpu(&attach->frames, attach->options.stacks);
	if (write_sample(attach, thread, queued_ns, sample->time_ns, &attach->frames,
			 &blocked->queue_stack))
		blocked->has_queue_stack = true;
}

/* Ends the thread's time in this program. If another program follows, the next look uses the same
 * figures as without a look here. */
void blocked_leaves(struct attach *attach, struct watched_thread *thread, uint64_t time)
{
	struct waits *waits = &thread->blocked.waits;
	int64_t guess;

	if (!attach->options.blocked_hz || !waits->time)
		return;
	guess = waits_guess(waits, time, period_ns(attach));
	waits->blocked_ns += guess;
	write_rest(attach, thread, time);
	waits->blocked_ns -= guess;
}

/* Writes CPU time that no sample can stand for: it was used where ticks are hidden, in system calls
 * most likely, and the thread was last seen in one. */
static void write_unsampled(struct attach *attach, struct watched_thread *thread, uint64_t ns)
{
	struct watched_thread_blocked *blocked = &thread->blocked;
	struct watched_thread_sample sample = {
		.time = timeline_ticks(&attach->timeline, blocked->waits.time),
		.time_ns = blocked->waits.time,
		.ns = ns,
		.is_settled = true,
		.stack = blocked->stack,
	};

	if (ns && blocked->has_stack &&
	    watched_thread_write(thread, &attach->context, &sample, &blocked->stack))
		attach->samples++;
}

/* Settles its CPU time up to the last look, by the kernel's figure. The time behind that is known
 * together with that of all other ended threads only: see attach.c. */
static void settle_looked(struct attach *attach, struct watched_thread *thread)
{
	const struct waits *waits = &thread->blocked.waits;
	uint64_t unit = attach->context.unit_ns, left;

	if (thread->is_unaccountable || waits->seen.cpu_ns < thread->base_ns)
		return;
	left = account_settle_until(&thread->account, waits->time / unit,
				    (waits->seen.cpu_ns - thread->base_ns) / unit);
	write_unsampled(attach, thread, left * unit);
}

/* Whatever of the time behind the last look turns out to be CPU time was not waited: the sums of
 * both stay its life. */
void blocked_ends(struct attach *attach, struct watched_thread *thread, uint64_t time)
{
	uint64_t written;

	if (!attach->options.blocked_hz || !thread->blocked.waits.time)
		return;
	settle_looked(attach, thread);
	written = attach->samples;
	blocked_leaves(attach, thread, time);
	if (attach->samples > written)
		account_share(&thread->account, watched_thread_last(thread));
}

/* ---- schedule of looks ---- */

static void look_at_all(struct attach *attach, uint64_t now, bool is_last)
{
	for (size_t i = 0; i < attach->roster.thread_count; i++) {
		struct watched_thread *thread = attach->roster.threads[i];

		if (thread->blocked.skip && !is_last)
			thread->blocked.skip--;
		else
			look_at(attach, thread, now);
		if (is_last)
			write_rest(attach, thread, now);
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

static uint64_t less(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

int blocked_timeout(const struct attach *attach, uint64_t now, int timeout_ms)
{
	uint64_t left;
	int left_ms;

	/* Samples of an interpreter are urgent: see watched_scripts.h. */
	if (attach->context.has_scripts && (timeout_ms < 0 || timeout_ms > SCRIPTS_MS))
		timeout_ms = SCRIPTS_MS;
	if (!attach->options.blocked_hz)
		return timeout_ms;
	left = less(attach->looked + interval(attach), now);
	left_ms = (int)((left + 999999) / 1000000);
	return timeout_ms < 0 || left_ms < timeout_ms ? left_ms : timeout_ms;
}
