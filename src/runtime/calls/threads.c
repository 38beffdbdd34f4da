/* SPDX-License-Identifier: MIT */
#include "threads.h"

#include <errno.h>
#include <sys/prctl.h>

#include "own_stack.h"
#include "process.h"
#include "runtime.h"
#include "put_back.h"
#include "slots.h"
#include "start.h"
#include "state.h"
#include "tallies.h"
#include "waits.h"

/*
 * From this many threads on, checking which of them have ended pays: that takes less than a
 * microsecond, and a new segment of the recording some tens.
 */
#define SWEEP_FIRST 4

/* Another value of calls_alive[0] beside ALIVE; fork() zeroes it. */
enum { BEING_BORN = 2 };

struct calls_thread calls_no_thread;
__thread struct calls_thread *calls_this = &calls_no_thread;

#if TCB_BELOW
/* Thread-local variables begin at the thread pointer here, so that calls_this may be at an offset
 * of 0, which is also the value before the linker has written it. The word behind it never is. */
__asm__(".globl calls_behind_this\n\t"
	".hidden calls_behind_this\n\t"
	".type calls_behind_this, %tls_object\n\t"
	".set calls_behind_this, calls_this + 8");
#endif

/* Asks the kernel for threads that have ended: they do not report it. Called with the lock held. */
static void sweep(void)
{
	pid_t pid = sys_getpid();
	uint32_t ended = 0;

	for (struct calls_thread *thread = calls_state.threads; thread; thread = thread->next)
		if (thread->tid && sys_tgkill(pid, thread->tid, 0) == -ESRCH) {
			thread->tid = 0;
			thread->next_free = calls_state.free_threads;
			calls_state.free_threads = thread;
			ended++;
		}
	/* Half of them ended: it has paid. Otherwise wait until there are twice as many. */
	if (ended < calls_state.thread_count / 2)
		calls_state.sweep_at = calls_state.thread_count * 2;
}

/* Returns one whose thread has ended. Called with the lock held. */
static struct calls_thread *adopt(void)
{
	struct calls_thread *thread;

	/* One that is not in the recording yet serves any thread. */
	thread = calls_state.free_threads;
	if (calls_state.flags & RECORD_BY_THREAD && !(thread && !thread->seen))
		return NULL;
	if (!calls_state.free_threads && calls_state.thread_count >= SWEEP_FIRST &&
	    calls_state.thread_count >= calls_state.sweep_at)
		sweep();
	thread = calls_state.free_threads;
	if (thread) {
		calls_state.free_threads = thread->next_free;
		slots_adopt(thread);
	}
	return thread;
}

/* Memory for the next ones. */
static struct {
	char *next, *end;
} pool;

static struct calls_thread *make(void)
{
	const size_t block = 1 << 16;
	struct calls_thread *thread;

	if ((size_t)(pool.end - pool.next) < sizeof(*thread)) {
		char *memory =
			sys_mmap(block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);

		if (sys_failed(memory))
			return NULL;
		pool.next = memory;
		pool.end = memory + block;
	}
	thread = (struct calls_thread *)pool.next;
	pool.next += (sizeof(*thread) + 63) / 64 * 64;
	return thread;
}

/* Opens its part of the recording. */
static bool open_segment(struct calls_thread *thread, struct record_thread *old)
{
	if (!thread->seen) {
		thread->seen = entry_thread(&calls_state.entry, old, &thread->room);
		if (!thread->seen)
			return false;
	}
	thread->seen->tid = (uint32_t)thread->tid;
	thread->seen->users++;
	sys_prctl(PR_GET_NAME, thread->seen->name);
	__atomic_fetch_add(&calls_state.entry.process->threads, 1, __ATOMIC_RELAXED);
	return true;
}

/*
 * Registers the calling thread, which is new in this process. Requests space once: without it, the
 * thread runs uncounted. old: its segment in the parent of this process. Called with the lock held.
 */
static void take_part(struct calls_thread *thread, struct record_thread *old)
{
	thread->tid = sys_gettid();
	thread->refused = !open_segment(thread, old);
	if (thread->refused)
		process_lost(&calls_state.entry.process->lost_threads);
	thread->process = calls_state.entry.segment;
	if (thread->listed == calls_state.generation + 1)
		return;
	thread->listed = calls_state.generation + 1;
	thread->next = calls_state.threads;
	calls_state.threads = thread;
	calls_state.thread_count++;
}

/*
 * Returns an address above all frames of the thread's own stack, and below other stacks that are
 * higher: its end, or libc's control block. The thread that forked a process may have either.
 * Called with the lock held.
 */
static uintptr_t stack_bound(struct calls_thread *thread)
{
	if (!(calls_state.flags & RECORD_BY_PATH))
		return 0;
	if (thread->is_first) {
		own_stack_find(thread);
		return thread->stack_end;
	}
	return thread->tid == sys_getpid() ? 0 : thread->pointer;
}

static struct calls_thread *begin(void)
{
	sys_sigset mask = state_lock();
	struct calls_thread *thread = calls_state.entry.process ? adopt() : NULL;

	if (!thread && calls_state.entry.process)
		thread = make();
	if (thread) {
		take_part(thread, NULL);
		thread->pointer = arch_thread_pointer();
		thread->is_first =
			thread->tid == sys_getpid() && !calls_state.entry.process->forked;
		thread->stack_bound = stack_bound(thread);
		thread->random ^= (uint32_t)thread->tid;
		calls_this = thread;
	} else if (calls_state.entry.process) {
		process_lost(&calls_state.entry.process->lost_threads);
	}
	state_unlock(mask);
	return thread;
}

/*
 * Forgets the parent's threads: they may have been in the middle of anything. The surviving one
 * will notice, see threads_this().
 */
static void start_again(void)
{
	start_after_fork();
	/*
	 * Active calls are the parent's. Only one of its threads survives, which may not be the
	 * calling one: it has no other way to notice the fork from now on.
	 */
	for (struct calls_thread *thread = calls_state.threads; thread; thread = thread->next)
		slots_disown(thread);
	pool.next = pool.end = NULL;
	calls_state.generation++;
	calls_state.threads = calls_state.free_threads = NULL;
	calls_state.thread_count = calls_state.sweep_at = 0;
	if (calls_state.flags & RECORD_NO_FOLLOW) {
		calls_state.entry.process = NULL;
		calls_state.entry.segment = 0;
		start_set_ways_in();
		return;
	}
	process_start(true);
}

/* Makes the thread that survived a fork() forget data in the parent's part of the recording. */
static void come_along(struct calls_thread *thread)
{
	sys_sigset mask = state_lock();
	struct record_thread *parents = thread->seen;

	slots_disown(thread);
	waits_forget(thread);
	thread->seen = NULL;
	thread->room = (struct room){ 0 };
	if (calls_state.entry.process)
		take_part(thread, parents);
	thread->process = calls_state.entry.segment;
	state_unlock(mask);
}

uint64_t threads_put_back(void)
{
	uint64_t under_way = 0;

	for (struct calls_thread *thread = calls_state.threads; thread; thread = thread->next)
		under_way += put_back_all(thread);
	return under_way;
}

void threads_rest(void)
{
	sweep();
	for (struct calls_thread *thread = calls_state.threads; thread; thread = thread->next) {
		tallies_forget(thread);
		thread->seen = NULL;
		thread->room = (struct room){ 0 };
		thread->process = 0;
		thread->refused = false;
	}
}

void threads_after_fork(void)
{
	uint32_t dead = 0;
	sys_sigset mask;

	if (__atomic_load_n(calls_alive, __ATOMIC_ACQUIRE) == ALIVE)
		return;
	mask = state_block_signals();
	/* One thread does it; others that were started meanwhile wait. */
	if (__atomic_compare_exchange_n(calls_alive, &dead, BEING_BORN, false, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		start_again();
		__atomic_store_n(calls_alive, ALIVE, __ATOMIC_RELEASE);
	}
	while (__atomic_load_n(calls_alive, __ATOMIC_ACQUIRE) != ALIVE)
		sys_sched_yield();
	state_restore_signals(mask);
}

const struct entry *threads_entry(void)
{
	threads_after_fork();
	return calls_state.entry.process ? &calls_state.entry : NULL;
}

struct calls_thread *threads_this(void)
{
	struct calls_thread *thread;

	threads_after_fork();
	if (!arch_has_thread_locals())
		return NULL;
	/* Atomic, so that the compiler does not read it before checking that it exists. */
	thread = __atomic_load_n(&calls_this, __ATOMIC_RELAXED);
	if (thread == &calls_no_thread)
		return begin();
	if (thread->process != calls_state.entry.segment)
		come_along(thread);
	return thread;
}
