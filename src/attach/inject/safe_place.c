/* SPDX-License-Identifier: MIT */
#include "attach/inject/safe_place.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "thread.h"

/* System calls in which threads wait for the outside world. Neither malloc() nor the linker makes
 * them while it holds a lock, except the linker by code of its own. */
static const long waiting[] = {
	SYS_accept,
	SYS_accept4,
	SYS_clock_nanosleep,
	SYS_epoll_pwait,
	SYS_nanosleep,
	SYS_ppoll,
	SYS_pselect6,
	SYS_read,
	SYS_readv,
	SYS_recvfrom,
	SYS_recvmmsg,
	SYS_recvmsg,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
	SYS_semop,
	SYS_semtimedop,
	SYS_wait4,
	SYS_waitid,
#ifdef SYS_poll /* newer CPUs have only the calls above */
	SYS_epoll_wait,
	SYS_pause,
	SYS_poll,
	SYS_select,
#endif
};

/* Functions of libc that hold no such lock while they run. They may be called by code that does. */
static const char *const harmless[] = {
	"bsearch",
	"clock_gettime",
	"clock_nanosleep",
	"epoll_wait",
	"getpid",
	"gettimeofday",
	"nanosleep",
	"poll",
	"pthread_barrier_wait",
	"pthread_clockjoin_np",
	"pthread_cond_clockwait",
	"pthread_cond_timedwait",
	"pthread_cond_wait",
	"pthread_join",
	"pthread_mutex_lock",
	"pthread_mutex_timedlock",
	"pthread_mutex_unlock",
	"pthread_rwlock_rdlock",
	"pthread_rwlock_wrlock",
	"pthread_timedjoin_np",
	"qsort",
	"read",
	"readv",
	"recv",
	"sched_yield",
	"sem_clockwait",
	"sem_timedwait",
	"sem_wait",
	"send",
	"sendmsg",
	"sendto",
	"sleep",
	"syscall",
	"time",
	"usleep",
	"write",
	"writev",
};

/* Functions of an allocator that is not libc's, which may wait in the kernel while it holds a lock:
 * dlopen() would call it. Its other functions may be those of the program. */
static const char *const allocating[] = {
	"malloc", "calloc", "realloc", "free", "memalign", "aligned_alloc", "posix_memalign",
};

/* Where libc starts threads and the program. */
static const char *const starting[] = { "__libc_start_main", "clone", "__clone", "clone3" };

#define IS_IN(list, name) is_in(list, sizeof(list) / sizeof((list)[0]), name)
#define START_DEPTH       4 /* most frames of libc below the first function of a thread */

static bool is_in(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return false;
}

/* Returns the address to look up: that of the call, not the one behind it. */
static uintptr_t address_of(const struct walker_frames *frames, uint32_t i)
{
	return frames->pcs[i] - (i > 0);
}

static const struct layout_code *code_of(const struct layout *layout,
					 const struct walker_frames *frames, uint32_t i)
{
	return layout_at(layout, address_of(frames, i));
}

static bool is_libc(const struct layout_code *code)
{
	return code && code->kind == LAYOUT_LIBC;
}

/* Returns the last of the frames of libc that begin at i: the function that was called from
 * outside, unless it is the thread's first. */
static uint32_t last_of_libc(const struct layout *layout, const struct walker_frames *frames,
			     uint32_t i)
{
	while (i + 1 < frames->depth && is_libc(code_of(layout, frames, i + 1)))
		i++;
	return i;
}

static void name_of(const struct layout *layout, const struct walker_frames *frames, uint32_t i,
		    char *name, size_t size)
{
	layout_name(code_of(layout, frames, i), address_of(frames, i), name, size);
}

static bool is_waiting(const struct layout *layout, const struct remote *remote)
{
	long call = arch_remote_in_call(&remote->before);
	bool is_listed = false;

	for (size_t i = 0; i < sizeof(waiting) / sizeof(waiting[0]); i++)
		is_listed = is_listed || call == waiting[i];
	return is_listed && is_libc(layout_at(layout, arch_remote_pc(&remote->before.registers)));
}

/* Returns whether the frames of libc from i to last start the thread. Only the first function of
 * the program comes before them. */
static bool is_start(const struct layout *layout, const struct walker_frames *frames, uint32_t i,
		     uint32_t last)
{
	char name[128];

	if (last + 2 < frames->depth || last - i >= START_DEPTH || i == 0)
		return false;
	for (; i <= last; i++) {
		name_of(layout, frames, i, name, sizeof(name));
		if (*name && !IS_IN(starting, name))
			return false;
	}
	return true;
}

/* Returns whether nothing on the whole stack may hold a lock. */
static bool is_free(const struct layout *layout, const struct walker_frames *frames)
{
	char name[128];

	if (frames->end != RECORD_STACK_COMPLETE || frames->certain != frames->depth)
		return false;
	for (uint32_t i = 0; i < frames->depth; i++) {
		const struct layout_code *code = code_of(layout, frames, i);
		uint32_t last;

		if (!code || code->kind == LAYOUT_LINKER || code->allocates)
			return false;
		if (code->kind != LAYOUT_LIBC)
			continue;
		last = last_of_libc(layout, frames, i);
		name_of(layout, frames, last, name, sizeof(name));
		if (!is_start(layout, frames, i, last) && !IS_IN(harmless, name))
			return false;
		i = last;
	}
	return true;
}

/* Returns whether the frame is that of a function that allocates, by its name or as operators of
 * C++ do. */
static bool is_allocating(const struct layout *layout, const struct walker_frames *frames,
			  uint32_t i)
{
	const struct layout_code *code = code_of(layout, frames, i);
	char name[128];

	if (!code || !code->allocates)
		return false;
	name_of(layout, frames, i, name, sizeof(name));
	return IS_IN(allocating, name) || strncmp(name, "_Zn", 3) == 0 ||
	       strncmp(name, "_Zd", 3) == 0;
}

/* Returns whether the thread pointer is that of a thread of libc, and this thread's. */
static bool is_own_thread(const struct layout *layout, const struct remote *remote)
{
	uintptr_t pointer = arch_remote_thread(&remote->before), table;
	int32_t tid;

	return layout->has_tid &&
	       remote_get(remote->pid, pointer + TCB_DTV, &table, sizeof(table)) == 0 && table &&
	       remote_get(remote->pid, pointer + (uintptr_t)layout->tid_at, &tid, sizeof(tid)) ==
		       0 &&
	       tid == remote->tid;
}

#define GET_RSEQ_CONFIGURATION 0x420f /* not in every libc's header */

/* Returns whether the thread is in a restartable sequence: the kernel would forget that it is. */
static bool is_in_sequence(const struct remote *remote)
{
	struct {
		uint64_t address;
		uint32_t size, signature, flags, pad;
	} area = { 0 };
	struct {
		uint32_t version, flags;
		uint64_t start, length, abort;
	} sequence;
	uint64_t address;

	if (ptrace((enum __ptrace_request)GET_RSEQ_CONFIGURATION, remote->tid, (void *)sizeof(area),
		   &area) <= 0 ||
	    !area.address ||
	    remote_get(remote->pid, area.address + sizeof(address), &address, sizeof(address)) ||
	    !address)
		return false;
	return remote_get(remote->pid, address, &sequence, sizeof(sequence)) != 0 ||
	       arch_remote_pc(&remote->before.registers) - sequence.start < sequence.length;
}

bool safe_place_can_run(const struct remote *remote)
{
	return arch_remote_can_call(&remote->before) && !is_in_sequence(remote);
}

bool safe_place(struct layout *layout, const struct remote *remote)
{
	struct walker_frames frames;

	if (!safe_place_can_run(remote) || !is_own_thread(layout, remote))
		return false;
	layout_walk(layout, remote, &frames);
	for (uint32_t i = 0; i < frames.depth; i++) {
		const struct layout_code *code = code_of(layout, &frames, i);

		if ((code && code->kind == LAYOUT_LINKER) ||
		    layout_is_inside(layout, frames.pcs[i]) || is_allocating(layout, &frames, i))
			return false;
	}
	return is_waiting(layout, remote) || is_free(layout, &frames);
}

/* Returns whether a word of the stack may be a return address into the runtime. Words of frames
 * that are gone may look like one. */
static bool stack_leads_inside(const struct layout *layout, const struct remote *remote)
{
	struct layout_stack stack;
	bool found;

	layout_copy(layout, remote, &stack);
	found = !stack.count;
	for (size_t i = 0; i < stack.count && !found; i++)
		found = layout_is_inside(layout, stack.words[i]);
	free(stack.words);
	return found;
}

bool safe_place_outside(struct layout *layout, const struct remote *remote)
{
	struct walker_frames frames;

	layout_walk(layout, remote, &frames);
	for (uint32_t i = 0; i < frames.depth; i++)
		if (layout_is_inside(layout, frames.pcs[i]))
			return false;
	return (frames.end == RECORD_STACK_COMPLETE && frames.certain == frames.depth) ||
	       !stack_leads_inside(layout, remote);
}
