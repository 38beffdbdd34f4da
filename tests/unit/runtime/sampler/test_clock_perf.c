/* SPDX-License-Identifier: MIT
 *
 * test_clock_perf.c - the weights of signals of the perf clock, with and without the right to
 * observe the kernel, and its periods. The test makes up time and events.
 */
#include <stdlib.h>
#include <string.h>

#include "sys.h"

#define TICK     INT64_C(1000000)
#define FIRST_US 100 /* the shortest first period */

static struct {
	int64_t now;
	struct perf_event_attr attr; /* of the last event */
	int opened, refuses;
	bool refuses_kernel;
	char page[64];
	int mapped;
} kernel;

static int kernel_perf_event_open(const struct perf_event_attr *attr, pid_t tid)
{
	(void)tid;
	if (kernel.refuses || (kernel.refuses_kernel && !attr->exclude_kernel))
		return -EACCES;
	kernel.attr = *attr;
	kernel.opened++;
	return 1000000; /* closing it is harmless */
}

static void *kernel_mmap(size_t size, int prot, int flags, int fd)
{
	(void)size;
	(void)prot;
	(void)flags;
	(void)fd;
	kernel.mapped++;
	return kernel.page;
}

static int kernel_munmap(void *address, size_t size)
{
	(void)size;
	kernel.mapped -= address == kernel.page;
	return 0;
}

static int64_t kernel_clock_ns(clockid_t clock)
{
	return clock == CLOCK_THREAD_CPUTIME_ID ? kernel.now : -EINVAL;
}

static bool in_syscall;

#define sys_perf_event_open kernel_perf_event_open
#define sys_mmap            kernel_mmap
#define sys_munmap          kernel_munmap
#define sys_clock_ns        kernel_clock_ns
#define arch_in_syscall(uc) ((void)(uc), in_syscall)

#include "runtime/sampler/perf_event.c"

#include "runtime/sampler/clock_perf.c"

#include "tap.h"

/* ---- stand-ins ---- */

static struct {
	int armed, disarmed, paced;
	uint64_t first_ns;
	bool refuses;
} timer;

bool clock_timer_open(uint64_t tick_ns, struct clock_refusal *refusal)
{
	(void)tick_ns;
	*refusal = (struct clock_refusal){ EAGAIN, "no timers" };
	return !timer.refuses;
}

int clock_timer_arm(struct thread *thread, uint64_t first_ns)
{
	thread->timer_id = 3;
	timer.armed++;
	timer.first_ns = first_ns;
	return timer.refuses ? -EAGAIN : 0;
}

void clock_timer_disarm(struct thread *thread)
{
	thread->timer_id = -1;
	timer.disarmed++;
}

void clock_timer_pace(struct thread *thread)
{
	(void)thread;
	timer.paced++;
}

bool clock_timer_owns(const siginfo_t *info)
{
	return info->si_signo == 40;
}

struct thread *clock_timer_thread(const siginfo_t *info)
{
	return threads_by_cookie((uintptr_t)info->si_value.sival_ptr);
}

bool exec_guard_in_place(void)
{
	return true;
}

int signals_claim(int sig)
{
	return sig == SIGTRAP ? 0 : -EINVAL;
}

/* ---- signals ---- */

static siginfo_t event_signal(const struct thread *thread)
{
	siginfo_t info = { .si_signo = SIGTRAP, .si_code = TRAP_PERF };
	unsigned long data = PERF_MARK | threads_cookie(thread);

	memcpy((char *)&info.si_addr + sizeof(void *), &data, sizeof(data));
	return info;
}

static struct tick event_tick(const struct thread *thread)
{
	siginfo_t info = event_signal(thread);

	return clock_perf.tick_of(&info, NULL);
}

static struct tick timer_ticks(const struct thread *thread, int overrun)
{
	siginfo_t info = { .si_signo = 40, .si_code = SI_TIMER };

	info.si_overrun = overrun;
	info.si_value.sival_ptr = (void *)threads_cookie(thread);
	return clock_perf.tick_of(&info, NULL);
}

static struct tick timer_tick(const struct thread *thread)
{
	return timer_ticks(thread, 0);
}

/* Makes the thread owe so many nanoseconds. */
static void owes(struct thread *t, int64_t ns)
{
	kernel.now = 1000 * TICK;
	t->billed_ns = kernel.now - ns;
}

static int64_t owed(const struct thread *t)
{
	return kernel.now - t->billed_ns;
}

static void whose(struct thread *t)
{
	siginfo_t info = event_signal(t), other = info;
	unsigned long data = 0x1234;

	ok(clock_perf.owns(&info), "an event's signal is the clock's own");
	other.si_code = TRAP_BRKPT;
	ok(!clock_perf.owns(&other), "a breakpoint is not");
	other = info;
	memcpy((char *)&other.si_addr + sizeof(void *), &data, sizeof(data));
	ok(!clock_perf.owns(&other), "nor is another event");
}

/* ---- with the kernel ---- */

static void all_time(struct thread *t)
{
	owes(t, TICK);
	ok(event_tick(t).weight == 1 && owed(t) == 0, "a tick weighs one");
	ok(!event_tick(t).is_coarse && timer_tick(t).is_coarse,
	   "the kernel's own tick brings timers, and no events");
	owes(t, 7 * TICK + TICK / 3);
	ok(event_tick(t).weight == 7 && owed(t) == TICK / 3,
	   "one that comes late, out of a long system call, weighs all that is owed");
	owes(t, TICK / 3);
	ok(event_tick(t).weight == 0 && owed(t) == TICK / 3,
	   "less than half of one weighs nothing");
	ok(strcmp(clock_perf.system_time(), "perf") == 0, "perf accounts for time in the kernel");
}

/* ---- user code only ---- */

static void user_ticks(struct thread *t)
{
	owes(t, 7 * TICK + TICK / 3);
	ok(event_tick(t).weight == 1 && owed(t) == 6 * TICK + TICK / 3,
	   "without privilege, an event stands for one tick in user code, whatever else is owed");
	owes(t, 0);
	ok(event_tick(t).weight == 1 && owed(t) == -TICK, "also if nothing seems to be");
	ok(event_tick(t).weight == 0 && owed(t) == -TICK, "but not if it was billed before");
	owes(t, 20 * TICK);
	t->governor.pace = 2;
	ok(event_tick(t).weight == 4 && owed(t) == 16 * TICK,
	   "at a slower pace it stands for more");
	t->governor.pace = 0;
}

static void system_time(struct thread *t)
{
	t->perf_page = kernel.page;
	in_syscall = true;
	owes(t, 7 * TICK + 2 * TICK / 3);
	ok(timer_tick(t).weight == 7 && owed(t) == 2 * TICK / 3,
	   "a timer that comes out of a system call bills all whole ticks there");
	in_syscall = false;
	owes(t, 7 * TICK + 2 * TICK / 3);
	ok(timer_tick(t).weight == 4 && owed(t) == 3 * TICK + 2 * TICK / 3,
	   "one that interrupts user code leaves some for the next system call");
	ok(timer_tick(t).weight == 0 && owed(t) == 3 * TICK + 2 * TICK / 3, "and no more");
	t->governor.pace = 1;
	owes(t, 7 * TICK + 2 * TICK / 3);
	ok(timer_tick(t).weight == 0, "at a slower pace it leaves more");
	t->governor.pace = 0;
	t->perf_page = NULL;
	owes(t, 7 * TICK + 2 * TICK / 3);
	ok(timer_tick(t).weight == 7,
	   "a thread without an event has the timer alone, which bills all");
	ok(strcmp(clock_perf.system_time(), "timer") == 0,
	   "the timer accounts for time in the kernel");
}

/* A sandbox forbids reading the CPU clock. */
static void without_cpu_clock(struct thread *t)
{
	kernel.now = -EPERM;
	t->perf_page = kernel.page;
	t->billed_ns = 0;
	ok(event_tick(t).weight == 1 && t->billed_ns == TICK,
	   "in a sandbox, an event stands for a period in user code");
	ok(timer_ticks(t, 3).weight == 0 && t->billed_ns == TICK,
	   "which the timer does not bill again");
	in_syscall = true;
	ok(timer_ticks(t, 3).weight == 4 && t->billed_ns == 5 * TICK,
	   "out of a system call, the timer and its overruns stand for a period each");
	in_syscall = false;
	t->governor.pace = 1;
	ok(event_tick(t).weight == 2, "at a slower pace, periods are longer");
	t->perf_page = NULL;
	ok(timer_ticks(t, 1).weight == 4, "without an event, the timer bills all periods");
	t->governor.pace = 0;
}

/* ---- events ---- */

static bool near_tick(uint64_t period, unsigned int pace)
{
	uint64_t whole = (uint64_t)TICK << pace,
		 off = period > whole ? period - whole : whole - period;

	return off >= whole / 128 && off <= whole * 95 / 4096;
}

static void periods(struct thread *t)
{
	timer.armed = 0;
	ok(clock_perf.arm(t, TICK) == 0 && near_tick(kernel.attr.sample_period, 0) && !t->starter,
	   "a whole tick is a period of its own, off by one or two per cent");
	ok(timer.armed == (perf.user_only ? 1 : 0), "users have a timer as well");
	clock_perf.disarm(t);
	ok(!kernel.mapped && !t->perf_page, "nothing stays of it");
	clock_perf.arm(t, TICK / 2);
	ok(kernel.attr.sample_period == TICK / 2 && t->starter, "the first period may be shorter");
	owes(t, TICK);
	event_tick(t);
	ok(near_tick(kernel.attr.sample_period, 0) && !t->starter && kernel.mapped == 1,
	   "with the first tick it becomes the usual one");
	clock_perf.disarm(t);
	clock_perf.arm(t, 1);
	ok(kernel.attr.sample_period == FIRST_US * 1000 && t->starter,
	   "but not so short that interrupts leave the thread no time");
	t->governor.pace = 3;
	clock_perf.pace(t);
	ok(kernel.attr.sample_period == FIRST_US * 1000, "another pace waits for the first tick");
	event_tick(t);
	ok(near_tick(kernel.attr.sample_period, 3), "and holds from then on");
	t->governor.pace = 0;
	clock_perf.disarm(t);
}

static void too_many(struct thread *t)
{
	timer.armed = 0;
	kernel.refuses = 1;
	ok(clock_perf.arm(t, TICK / 2) == 0 && timer.armed == 1 && !t->perf_page && !t->starter,
	   "a thread that gets no event has a timer instead");
	timer.refuses = true;
	ok(clock_perf.arm(t, TICK / 2) == -EAGAIN, "or nothing, which is said");
	timer.refuses = false;
	kernel.refuses = 0;
	clock_perf.disarm(t);
}

/* A daemon that has given up root's rights since the clock was opened. */
static void rights_lost(struct thread *t)
{
	timer.armed = 0;
	kernel.refuses_kernel = true;
	clock_perf.arm(t, TICK);
	ok(kernel.attr.exclude_kernel && t->perf_page && timer.armed == 1,
	   "a thread of a process that may no longer see the kernel has an event in user code");
	in_syscall = false;
	owes(t, 7 * TICK + TICK / 3);
	ok(event_tick(t).weight == 1 && timer_tick(t).weight == 2, "and is billed as a user's");
	clock_perf.disarm(t);
	kernel.refuses_kernel = false;
	timer.armed = 0;
	clock_perf.arm(t, TICK / 2);
	kernel.refuses_kernel = true;
	t->timer_id = -1;
	owes(t, TICK);
	event_tick(t);
	ok(t->user_only && t->perf_page && timer.armed == 1,
	   "so has one whose event is renewed after that");
	clock_perf.disarm(t);
	kernel.refuses_kernel = false;
	clock_perf.arm(t, TICK);
	ok(!t->user_only && !kernel.attr.exclude_kernel, "the next one sees the kernel if it may");
	clock_perf.disarm(t);
}

static void open_clock(bool user_only)
{
	struct clock_refusal refusal = { 0 };

	kernel.refuses_kernel = user_only;
	if (!clock_perf.open(TICK, &refusal))
		bail_out("the clock does not open");
	ok(kernel.attr.exclude_kernel == user_only && perf.user_only == user_only,
	   user_only ? "without the right to see the kernel, user code is left"
		     : "with it, the kernel is seen");
}

int main(void)
{
	struct clock_refusal refusal = { 0 };
	struct thread *t;

	if (!kernel_is_at_least(6, 11) || debugger_is_attached()) {
		skip("the perf clock", "it needs Linux 6.11 and no debugger");
		return tap_done();
	}
	if (threads_init())
		bail_out("there is no memory for threads");
	t = threads_add(4711);
	whose(t);
	open_clock(false);
	all_time(t);
	periods(t);
	too_many(t);
	rights_lost(t);
	open_clock(true);
	clock_perf.arm(t, TICK);
	clock_perf.disarm(t);
	user_ticks(t);
	system_time(t);
	without_cpu_clock(t);
	periods(t);
	kernel.refuses = 1;
	ok(!clock_perf.open(TICK, &refusal) && refusal.error == EACCES && refusal.sentence,
	   "where no event can be had, it does not open");
	return tap_done();
}
