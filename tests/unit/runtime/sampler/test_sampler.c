/* SPDX-License-Identifier: MIT
 *
 * test_sampler.c - the sampler and its roster with a clock that the test makes tick. Threads, their
 * CPU time and the census are real.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sampler/lock.c"
#include "runtime/sampler/roster.c"
#include "runtime/sampler/sampler.c"
#include "runtime/sampler/sampler_end.c"

#include "emulated.h"
#include "tap.h"

#define TICK_NS INT64_C(1000000) /* asked_hz is 1000 */
#define TICKING SIGUSR1          /* the signal of the clock below */
#define PRIVATE SIGRTMAX

/* ---- a clock ---- */

static struct {
	bool refuses;
	int opened, closed, armed, disarmed, paced;
	bool arms_none, is_odd;
	uint64_t first_ns; /* of the last thread that was armed */
	uint64_t weight;   /* of the next tick; UINT64_MAX: the time that the thread owes */
	bool dog, barked;
} fake;

static int fake_arm(struct thread *thread, uint64_t first_ns)
{
	if (fake.arms_none)
		return -EAGAIN;
	thread->starter = fake.is_odd && first_ns != TICK_NS;
	fake.armed++;
	fake.first_ns = first_ns;
	return 0;
}

static void fake_disarm(struct thread *thread)
{
	(void)thread;
	fake.disarmed++;
}

static void fake_pace(struct thread *thread)
{
	(void)thread;
	fake.paced++;
}

static void fake_close(void)
{
	fake.closed++;
}

static bool fake_owns(const siginfo_t *info)
{
	return info->si_signo == TICKING;
}

static struct tick fake_tick_of(const siginfo_t *info, const ucontext_t *uc)
{
	struct tick tick = { threads_find(gettid()), fake.weight };

	(void)info;
	(void)uc;
	if (fake.weight == UINT64_MAX)
		tick.weight = clock_bill(&tick.thread->billed_ns,
					 sys_clock_ns(CLOCK_THREAD_CPUTIME_ID), TICK_NS);
	return tick;
}

static const char *fake_system_time(void)
{
	return "none";
}

static const struct clock fake_clock = {
	.name = "fake",
	.borrowed_signal = SIGUSR2,
	.close = fake_close,
	.arm = fake_arm,
	.disarm = fake_disarm,
	.pace = fake_pace,
	.owns = fake_owns,
	.tick_of = fake_tick_of,
	.system_time = fake_system_time,
};

const struct clock *const clocks[] = { &fake_clock, NULL };

const struct clock *clock_open(const char *name, uint64_t tick_ns, struct clock_refusal *refusal)
{
	(void)name;
	(void)tick_ns;
	if (fake.refuses) {
		*refusal = (struct clock_refusal){ EPERM, "it does not want to" };
		return NULL;
	}
	fake.opened++;
	return &fake_clock;
}

void watchdog_start(uint64_t tick_ns)
{
	(void)tick_ns;
	fake.dog = true;
}

void watchdog_stop(void)
{
	fake.dog = false;
}

void watchdog_forget(void)
{
	fake.dog = false;
}

bool watchdog_watches(void)
{
	return false; /* no time is unseen here */
}

bool watchdog_barked(const siginfo_t *info)
{
	(void)info;
	return fake.barked;
}

size_t signals_frame_bytes(void)
{
	return 3000;
}

sys_sigset signals_of_ticks(void)
{
	return SYS_SIGBIT(PRIVATE);
}

void signals_reclaim(void)
{
}

static sys_sigset withheld;

void signals_send_again(int sig, siginfo_t *info)
{
	(void)sig, (void)info;
}

sys_sigset signals_withheld(void)
{
	return withheld;
}

void signals_withhold(sys_sigset set)
{
	withheld = set;
}

/* ---- a sink ---- */

static void burn(int64_t ns)
{
	int64_t until = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) + ns;

	while (sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static struct bucket {
	struct sink sink;
	uint64_t ticks;
	uintptr_t last_pc;
	enum sink_answer answer;
	int64_t takes_ns;
} bucket, other_bucket;

static enum sink_answer drop_in(struct sink *sink, const struct sink_ticks *ticks)
{
	struct bucket *b = (struct bucket *)sink;

	b->ticks += ticks->weight;
	b->last_pc = ticks->pc;
	burn(b->takes_ns);
	return b->answer;
}

/* ---- the program ---- */

static uint32_t asked_hz = 1000;

static int start(struct bucket *b)
{
	struct sampler_setting setting = { .hz = asked_hz, .hz_refusal = "invalid rate" };
	sys_sigset mask = lock_take();
	int err;

	b->sink.take = drop_in;
	b->ticks = 0;
	err = sampler_start(&b->sink, &setting);
	lock_release(mask);
	return err;
}

static void stop(void)
{
	sys_sigset mask = lock_take();

	sampler_stop();
	lock_release(mask);
}

/* Turns all off, and resets all but what the test reads next. */
static void start_anew(void)
{
	stop();
	memset(&fake, 0, sizeof(fake));
	memset(&bucket, 0, sizeof(bucket));
	memset(&other_bucket, 0, sizeof(other_bucket));
}

static struct profil_clock_info info_now(void)
{
	struct profil_clock_info info;
	sys_sigset mask = lock_take();

	sampler_info(&info);
	lock_release(mask);
	return info;
}

/* Delivers a signal, without the kernel. Returns whether the sampler took it. */
static bool signal_arrives(int sig)
{
	siginfo_t info = { .si_signo = sig };
	ucontext_t uc;

	getcontext(&uc);
	return sampler_signal(&info, &uc);
}

static bool tick(uint64_t weight)
{
	fake.weight = weight;
	return signal_arrives(TICKING);
}

static void in_a_thread(void *(*run)(void *), void *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, arg))
		bail_out("no thread to test with");
	pthread_join(thread, NULL);
}

/* ---- the lock ---- */

static sys_sigset mask_now(void)
{
	sys_sigset mask;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

static void the_lock(void)
{
	const sys_sigset never = SYS_SIGBIT(SIGKILL) | SYS_SIGBIT(SIGSTOP);
	sys_sigset before = mask_now(), all = ~(sys_sigset)0, mask;

	mask = lock_take();
	ok(mask_now() == ~never, "no signal arrives while the lock is held");
	lock_release(mask);
	ok(mask_now() == before, "after that those arrive that did before");
	sys_sigprocmask(SIG_BLOCK, &all, NULL);
	mask = lock_take();
	lock_release_listening(mask);
	ok(mask_now() == (~never & ~SYS_SIGBIT(PRIVATE)),
	   "a thread that wants ticks gets them unblocked");
	ok(withheld == SYS_SIGBIT(PRIVATE), "and that is remembered");
	withheld = 0;
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- start and stop ---- */

static void nothing_yet(void)
{
	struct profil_clock_info info = info_now();

	ok(!tick(1) && !signal_arrives(SIGPROF), "before the first start no signal is a tick");
	ok(!info.clock && !info.running && info.samples == 0, "there is nothing to tell");
	stop();
	ok(!fake.closed, "stopping what does not run is fine");
}

static void start_and_stop(void)
{
	start_anew();
	ok(start(&bucket) == 0 && fake.opened == 1, "a start opens the clock");
	ok(fake.armed == 1 && fake.dog, "and arms it for this thread");
	ok(tick(1) && bucket.ticks == 1 && bucket.last_pc != 0, "a tick goes to the sink");
	tick(5);
	ok(bucket.ticks == 6, "a late one by its weight");
	ok(!signal_arrives(SIGPROF) && bucket.ticks == 6, "another signal is none of ours");
	stop();
	ok(fake.closed == 1 && fake.disarmed == 1 && !fake.dog, "a stop closes the clock");
	ok(tick(1) && bucket.ticks == 6, "a tick that comes after is taken and not counted");
}

static void another_sink(void)
{
	start_anew();
	start(&bucket);
	tick(1);
	ok(start(&other_bucket) == 0 && fake.opened == 1 && fake.closed == 0,
	   "a second start leaves the clock running");
	tick(2);
	ok(bucket.ticks == 1 && other_bucket.ticks == 2, "but ticks go to the new sink");
	ok(info_now().samples == 2, "and are counted from 0");
}

static void a_sink_that_is_done(void)
{
	start_anew();
	start(&bucket);
	bucket.answer = SINK_DONE;
	tick(1);
	ok(bucket.ticks == 1 && fake.closed == 1 && !info_now().running,
	   "a sink that is done ends profiling");
	tick(1);
	ok(bucket.ticks == 1, "and gets no more");
	bucket.answer = SINK_COUNTED;
	ok(start(&bucket) == 0 && fake.opened == 2 && tick(1) && bucket.ticks == 1,
	   "until it is started again");
}

static void refusals(void)
{
	start_anew();
	fake.refuses = true;
	ok(start(&bucket) == -EPERM && strcmp(info_now().problem, "it does not want to") == 0,
	   "where no clock opens, the reason is kept");
	ok(!info_now().running, "and nothing runs");
	fake.refuses = false;
	asked_hz = LIMIT_HZ + 1;
	ok(start(&bucket) == -EINVAL && fake.opened == 0, "a rate that is too high is refused");
	asked_hz = 0;
	ok(start(&bucket) == -EINVAL && info_now().problem && fake.opened == 0,
	   "a rate that is none is refused");
	asked_hz = 1000;
	ok(start(&bucket) == 0 && !info_now().problem, "the next start may go well");
}

static void borrowed_signals(void)
{
	start_anew();
	start(&bucket);
	sampler_give_back(SIGPROF);
	ok(fake.closed == 0, "a signal that is not borrowed makes no difference");
	sampler_give_back(SIGUSR2);
	ok(fake.closed == 1, "a clock ends when its borrowed signal is wanted back");
}

static void info(void)
{
	struct profil_clock_info info;

	start_anew();
	start(&bucket);
	tick(1);
	tick(0);
	tick(3);
	bucket.answer = SINK_OUTSIDE;
	tick(2);
	info = info_now();
	ok(info.running && strcmp(info.clock, "fake") == 0 && info.asked_hz == 1000,
	   "the info names the clock");
	ok(info.samples == 6 && info.signals == 3, "ticks and signals are distinguished");
	ok(info.outside == 2, "so are those outside");
	ok(info.threads == 1 && info.unwatched == 0, "and threads are counted");
	stop();
	info = info_now();
	ok(!info.running && info.samples == 6 && info.cpu_seconds > 0,
	   "all of it outlives the stop");
}

/* ---- CPU time is neither lost nor invented ---- */

static void settling(void)
{
	int64_t outer, inner;

	start_anew();
	outer = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	start(&bucket);
	inner = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	burn(3 * TICK_NS);
	tick(UINT64_MAX);
	ok(bucket.ticks >= 3, "a tick brings what is owed");
	burn(20 * TICK_NS);
	inner = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - inner;
	stop();
	outer = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID) - outer;
	/* Half a tick may have been billed in advance, and less than one remains. */
	ok((int64_t)bucket.ticks * TICK_NS >= inner - TICK_NS &&
		   (int64_t)bucket.ticks * TICK_NS <= outer + TICK_NS / 2,
	   "a stop bills what no tick has brought yet: all of the CPU time");
	start_anew();
	start(&bucket);
	burn(3 * TICK_NS);
	stop();
	ok(bucket.ticks == 0, "a thread that was never seen anywhere is billed nowhere");
}

/* ---- a sink that counts nanoseconds ---- */

static struct {
	int64_t ns;       /* settled */
	int64_t unplaced; /* at the end: the time without a place */
	uintptr_t past_pc;
	int ends;
} fine;

static int64_t settle_in_ns(struct sink *sink, struct thread *thread, int64_t ns, uintptr_t pc)
{
	(void)sink;
	(void)thread;
	if (!pc)
		return ns;
	fine.ns += ns;
	fine.past_pc = pc;
	return 0;
}

static void count_end(struct sink *sink, int64_t unplaced_ns)
{
	(void)sink;
	fine.ends++;
	fine.unplaced += unplaced_ns;
}

static void start_fine(void)
{
	start_anew();
	memset(&fine, 0, sizeof(fine));
	bucket.sink.settle = settle_in_ns;
	bucket.sink.ended = count_end;
	start(&bucket);
}

static int64_t my_cpu(void)
{
	return sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

/* Returns the time billed in all. */
static int64_t billed(void)
{
	return (int64_t)bucket.ticks * TICK_NS + fine.ns + fine.unplaced;
}

static void to_the_nanosecond(void)
{
	int64_t outer = my_cpu(), inner;

	start_fine();
	inner = my_cpu();
	burn(TICK_NS);
	tick(UINT64_MAX);
	burn(TICK_NS / 3);
	inner = my_cpu() - inner;
	sampler_settle();
	outer = my_cpu() - outer;
	ok(fine.ends == 1 && billed() >= inner && billed() <= outer,
	   "at its end a process has been billed for all it has used: %lld ns, %lld to %lld",
	   (long long)billed(), (long long)inner, (long long)outer);
	ok(fine.unplaced == 0, "where it was seen");
	burn(3 * TICK_NS);
	tick(UINT64_MAX);
	sampler_settle();
	ok(billed() >= inner + 3 * TICK_NS && billed() <= my_cpu() - inner + outer + 4 * TICK_NS &&
		   fine.ends == 2,
	   "if it goes on, the next end settles what it has used since");
	burn(3 * TICK_NS / 4);
	sampler_settle();
	inner = billed();
	sampler_settle();
	ok(billed() - inner < TICK_NS / 2, "and nothing twice");
}

static void unseen(void)
{
	start_fine();
	burn(3 * TICK_NS);
	sampler_settle();
	ok(bucket.ticks == 0 && fine.ns == 0 && fine.unplaced >= 3 * TICK_NS,
	   "CPU time without a tick is passed to the sink");
	ok(info_now().running, "and it goes on");
	stop();
	ok(fine.ends == 2, "a stop settles, too");
	sampler_settle();
	ok(fine.ends == 2, "where nothing runs, nothing ends");
	start_anew();
	start(&bucket);
	burn(2 * TICK_NS);
	sampler_settle();
	burn(TICK_NS);
	tick(UINT64_MAX);
	ok(bucket.ticks >= 3, "a sink of whole ticks gets what is owed with the next one");
}

static void *live_unseen(void *unused)
{
	(void)unused;
	roster_born();
	burn(3 * TICK_NS);
	roster_gone(0x5000);
	return NULL;
}

static void unseen_thread(void)
{
	start_fine();
	in_a_thread(live_unseen, NULL);
	ok(fine.ns >= 3 * TICK_NS && fine.past_pc == 0x5000 && roster.left_over_ns == 0,
	   "CPU time of a thread that was never seen is in its start function");
	start_anew();
	start(&bucket);
	in_a_thread(live_unseen, NULL);
	ok(bucket.ticks == 0 && roster.left_over_ns >= 3 * TICK_NS,
	   "a sink of whole ticks gets it with the next thread's");
}

static void the_past(void)
{
	start_anew();
	memset(&fine, 0, sizeof(fine));
	burn(2 * TICK_NS);
	bucket.sink.settle = settle_in_ns;
	bucket.sink.has_past = true;
	bucket.sink.past_since_ns = my_cpu() - 2 * TICK_NS - TICK_NS / 2;
	bucket.sink.past_pc = 0x4711;
	start(&bucket);
	ok(fine.ns >= 2 * TICK_NS + TICK_NS / 2 && fine.ns < 4 * TICK_NS && fine.past_pc == 0x4711,
	   "CPU time before the start is billed to its place");
	start_anew();
	bucket.sink.has_past = true;
	bucket.sink.past_since_ns = my_cpu() - 2 * TICK_NS - TICK_NS / 2;
	bucket.sink.past_pc = 0x4711;
	start(&bucket);
	ok(bucket.ticks >= 2 && bucket.last_pc == 0x4711,
	   "in whole ticks, if the sink counts these");
}

/* A child has used CPU time before it can arm a clock. */
static void past_of_child(void)
{
	int status = 0;

	start_fine();
	bucket.sink.follows_fork = true;
	if (fork() == 0) {
		int64_t used;

		burn(TICK_NS);
		used = my_cpu();
		sampler_settle();
		_exit(fine.unplaced >= used && fine.unplaced <= my_cpu() ? 3 : 4);
	}
	wait(&status);
	ok(WEXITSTATUS(status) == 3, "the child of a fork is billed for all that it has used");
}

struct short_life {
	uint64_t first_ns;
	int64_t owed_at_birth, owed_at_death, used;
};

static void *live_shortly(void *arg)
{
	struct short_life *life = arg;
	struct thread *t;

	roster_born();
	t = threads_find(gettid());
	life->first_ns = fake.first_ns;
	life->owed_at_birth = -t->billed_ns;
	burn(TICK_NS / 3);
	roster_gone(0x5000);
	life->owed_at_death = roster.left_over_ns;
	life->used = my_cpu();
	return NULL;
}

static void *be_seen_and_die(void *arg)
{
	(void)arg;
	roster_born();
	burn(TICK_NS);
	tick(UINT64_MAX);
	burn(2 * TICK_NS + TICK_NS / 3);
	roster_gone(0x5000);
	return NULL;
}

/* Threads too short for a tick of their own. */
static void inheritance(void)
{
	struct short_life first, second;

	start_anew();
	start(&bucket);
	in_a_thread(live_shortly, &first);
	in_a_thread(live_shortly, &second);
	ok(first.owed_at_birth == 0 && first.owed_at_death >= TICK_NS / 3,
	   "a short thread leaves what it owes");
	ok(second.owed_at_birth == first.owed_at_death, "the next one inherits it");
	ok(second.first_ns < (uint64_t)TICK_NS - (uint64_t)TICK_NS / 3, "and so ticks the earlier");
	ok(second.owed_at_death >= 2 * TICK_NS / 3, "debts add up");
	ok(info_now().threads == 1, "threads that have ended are forgotten");
	start_anew();
	start(&bucket);
	in_a_thread(be_seen_and_die, NULL);
	ok(bucket.ticks >= 3, "a thread that was seen pays its whole ticks where it was");
	ok(roster.left_over_ns < TICK_NS, "and leaves only the rest");
}

/* Threads that run side by side, each for less than a tick. */
static void lending(void)
{
	struct thread *me;
	int64_t lent = 0;

	start_anew();
	start(&bucket);
	me = threads_find(sys_gettid());
	roster.alive = me->by_hook = true; /* as if another one were running */
	for (int i = 0; i < 100; i++) {
		struct short_life life;

		roster.left_over_ns = 0;
		in_a_thread(live_shortly, &life);
		if (life.owed_at_birth < 0 || life.owed_at_birth >= TICK_NS) {
			ok(false, "a phase is a fraction of a tick, not %lld ns",
			   (long long)life.owed_at_birth);
			return;
		}
		lent += life.owed_at_birth;
		if (life.owed_at_death < TICK_NS / 3 || life.owed_at_death > life.used) {
			ok(false, "a phase is not CPU time of any thread: %lld ns",
			   (long long)life.owed_at_death);
			return;
		}
	}
	ok(lent > 30 * TICK_NS && lent < 70 * TICK_NS,
	   "threads side by side get phases all over the tick");
	roster.alive = me->by_hook = false;
}

/* ---- mute threads ---- */

static void mute(void)
{
	start_anew();
	start(&bucket);
	roster_unmute();
	ok(fake.armed == 1, "no thread is mute: nothing happens");
	roster_mute();
	ok(fake.disarmed == 1 && info_now().unwatched == 1,
	   "a mute thread is not ticked, and counts as unwatched");
	tick(1000);
	ok(fake.armed == 1, "a census leaves it alone");
	roster_unmute();
	ok(fake.armed == 2 && info_now().unwatched == 0, "until it listens again");
}

/* ---- alternate stacks ---- */

#define TOO_SMALL 1024 /* for a signal frame of any CPU */

static void small_stacks(void)
{
	start_anew();
	sampler_altstack(TOO_SMALL);
	ok(fake.armed == 0, "before a clock runs, a small stack is noted");
	sampler_altstack(0);
	start(&bucket);
	sampler_altstack(4096);
	ok(fake.armed == 1 && fake.disarmed == 0,
	   "a stack on which a signal frame fits changes nothing");
	sampler_altstack(TOO_SMALL);
	ok(fake.disarmed == 1 && info_now().unwatched == 1,
	   "a thread with a smaller one is not ticked, and counts as unwatched");
	tick(1000);
	ok(fake.armed == 1, "a census leaves it alone");
	sampler_altstack(0);
	ok(fake.armed == 2 && info_now().unwatched == 0,
	   "it is ticked again when that stack is gone");
	ok(sampler_altstack_gone() && fake.disarmed == 2 && info_now().unwatched == 1,
	   "a thread whose stack cannot be written is not ticked, and has been");
	ok(!sampler_altstack_gone() && fake.armed == 2 && fake.disarmed == 2,
	   "and had no ticks to come the next time");
	sampler_altstack(4096);
	ok(fake.armed == 3 && info_now().unwatched == 0, "it is ticked again with another stack");
	sampler_altstack(0);
}

/* ---- the census ---- */

static struct {
	pthread_barrier_t begun, end;
	pid_t tid;
} crew;

static void *idle(void *unused)
{
	(void)unused;
	crew.tid = gettid();
	pthread_barrier_wait(&crew.begun);
	pthread_barrier_wait(&crew.end);
	return NULL;
}

static pthread_t hire(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, idle, NULL))
		bail_out("no thread to test with");
	pthread_barrier_wait(&crew.begun);
	return thread;
}

static void dismiss(pthread_t thread)
{
	pthread_barrier_wait(&crew.end);
	pthread_join(thread, NULL);
	/* The kernel removes a thread a moment after it has been joined. */
	while (sys_tgkill(getpid(), crew.tid, 0) == 0)
		usleep(1000);
}

static void taking_the_census(void)
{
	pthread_t thread;

	pthread_barrier_init(&crew.begun, NULL, 2);
	pthread_barrier_init(&crew.end, NULL, 2);
	start_anew();
	thread = hire();
	start(&bucket);
	ok(info_now().threads == 2 && fake.armed == 2, "a start finds threads that exist already");
	dismiss(thread);
	tick(999);
	ok(info_now().threads == 2, "a thread that has ended is not missed at once");
	tick(1);
	ok(info_now().threads == 1 && fake.disarmed == 1, "but after a second of CPU time");
	thread = hire();
	tick(1000);
	ok(info_now().threads == 2 && fake.armed == 3, "a thread without a hook is found then too");
	dismiss(thread);
	thread = hire();
	fake.barked = true;
	ok(signal_arrives(SIGPROF) && info_now().threads == 2 && bucket.ticks == 2000,
	   "or when the watchdog barks, which is not a tick");
	fake.barked = false;
	dismiss(thread);
}

static void arming_fails(void)
{
	start_anew();
	fake.arms_none = true;
	ok(start(&bucket) == 0 && info_now().threads == 1 && info_now().unwatched == 1,
	   "a thread whose clock cannot be armed is known as unwatched");
	fake.arms_none = false;
	tick(1000);
	ok(fake.armed == 1 && info_now().unwatched == 0, "the next census tries again");
}

/* ---- exec ---- */

static void around_exec(void)
{
	sys_sigset mask;

	start_anew();
	errno = 77;
	roster_pause();
	roster_resume();
	ok(fake.armed == 0 && fake.disarmed == 0, "an exec while nothing runs costs nothing");
	start(&bucket);
	roster_pause();
	ok(fake.disarmed == 1, "a thread that is about to exec has its clock taken off");
	roster_resume();
	ok(fake.armed == 2 && info_now().threads == 1, "when the exec fails it ticks on");
	ok(errno == 77, "errno is what exec has left there");
	/* The handler could not get the lock, so the clock still runs, without a sink. */
	bucket.answer = SINK_DONE;
	mask = lock_take();
	tick(1);
	lock_release(mask);
	roster_pause();
	ok(fake.disarmed == 2, "also when the sink has just been filled");
}

/* ---- before a sandbox ---- */

static void steadying(void)
{
	start_anew();
	fake.is_odd = true;
	start(&bucket);
	sampler_steady();
	ok(fake.armed == 1 && fake.disarmed == 0, "a thread with a steady clock keeps it");
	threads_find(gettid())->starter = true;
	sampler_steady();
	ok(fake.armed == 2 && fake.disarmed == 1 && fake.first_ns == TICK_NS &&
		   !threads_find(gettid())->starter,
	   "one in its first period gets a steady one");
	ok(tick(1) && bucket.ticks == 1, "and ticks on");
	stop();
	sampler_steady();
	ok(fake.armed == 2, "without a clock, nothing happens");
}

/* ---- ticks that take long ---- */

static void ticks_without_rest(void)
{
	for (int i = 0; i < 16; i++)
		tick(1);
}

static bool refuses_clock(long nr, const long arguments[6], long *result)
{
	(void)arguments;
	*result = -EPERM;
	return nr == SYS_CLOCK_GETTIME;
}

static void dear_ticks(void)
{
	struct thread *me;

	start_anew();
	bucket.takes_ns = TICK_NS;
	start(&bucket);
	ticks_without_rest();
	ok(fake.paced == 0, "a sink that is not governed may take as long as it likes");
	start_anew();
	bucket.takes_ns = TICK_NS;
	bucket.sink.is_governed = true;
	start(&bucket);
	me = threads_find(gettid());
	ticks_without_rest();
	ok(fake.paced == 1 && me->governor.pace >= 2,
	   "one that is, and leaves nothing to the program, gets fewer ticks");
	ok(roster_count().slack == UINT64_C(5) << me->governor.pace,
	   "CPU time that a slow thread owes is not taken for lost");
	bucket.takes_ns = 0;
	fake.paced = 0;
	sys_filter = refuses_clock;
	ticks_without_rest();
	sys_filter = NULL;
	ok(fake.paced == 0 && me->governor.pace >= 2, "without a CPU clock, it keeps its rate");
	stop();
	start(&bucket);
	ok(threads_find(gettid())->governor.pace == 0, "the next start is at the full rate");
}

/* ---- fork ---- */

/*
 * Returns the state of the child of a fork, as its exit status: whether it runs, and whether it
 * counts.
 */
static int child_of_fork(void)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		uint64_t before = bucket.ticks;
		bool runs = info_now().running;

		tick(1);
		_exit((runs ? 1 : 0) + (bucket.ticks == before + 1 ? 2 : 0));
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Forks without libc, so that no fork handler runs. Returns the exit status of the child, which
 * is the result of `run`. */
static int child_of_clone(int (*run)(void))
{
	int status = -1;
	long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (child == 0)
		_exit(run());
	waitpid((pid_t)child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int start_in_child(void)
{
	int opened = fake.opened, armed = fake.armed;

	return !(start(&other_bucket) == 0 && fake.opened == opened + 1 &&
		 fake.armed == armed + 1 && tick(1) && other_bucket.ticks == 1);
}

static int stop_in_child(void)
{
	stop();
	return fake.closed || fake.disarmed || bucket.ticks != 1;
}

static int report_in_child(void)
{
	struct profil_clock_info info = info_now();

	return info.running || info.samples;
}

static void forking_past_libc(void)
{
	start_anew();
	start(&bucket);
	tick(1);
	ok(child_of_clone(start_in_child) == 0, "after a raw fork, a start opens a clock anew");
	ok(child_of_clone(stop_in_child) == 0, "a stop leaves the parent's alone");
	ok(child_of_clone(report_in_child) == 0, "and nothing runs");
	tick(1);
	ok(bucket.ticks == 2 && info_now().running, "but in the parent");
}

static void forking(void)
{
	sys_sigset before = mask_now();

	start_anew();
	ok(child_of_fork() == 0, "a stopped clock does not run in a child either");
	start(&bucket);
	tick(1);
	ok(child_of_fork() == 0, "a sink that does not follow a fork is off in the child");
	tick(1);
	ok(bucket.ticks == 2 && fake.closed == 0, "and goes on in the parent");
	bucket.sink.follows_fork = true;
	ok(child_of_fork() == 3, "one that follows goes on in both");
	ok(mask_now() == before, "and no signal stays blocked");
}

int main(void)
{
	if (is_emulated()) {
		skip("the sampler and its roster",
		     "the emulator has threads of its own, and signals that cannot be blocked");
		return tap_done();
	}
	the_lock();
	nothing_yet();
	start_and_stop();
	another_sink();
	a_sink_that_is_done();
	refusals();
	borrowed_signals();
	info();
	settling();
	to_the_nanosecond();
	unseen();
	unseen_thread();
	the_past();
	past_of_child();
	inheritance();
	lending();
	mute();
	small_stacks();
	taking_the_census();
	arming_fails();
	around_exec();
	steadying();
	dear_ticks();
	forking();
	forking_past_libc();
	return tap_done();
}
