/* SPDX-License-Identifier: MIT
 *
 * test_signals.c - signals that are ours and the program's at once.
 */
#include <pthread.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/sampler/handler_stacks.c"
#include "runtime/sampler/signals.c"

#include "tap.h"

/* ---- the sampler's part ---- */

static struct {
	bool tick; /* the next signal is a tick */
	volatile int asked;
	uintptr_t stack; /* of the call */
} fake;

bool sampler_signal(siginfo_t *info, void *uc)
{
	(void)info;
	(void)uc;
	fake.asked++;
	fake.stack = (uintptr_t)__builtin_frame_address(0);
	return fake.tick;
}

static int muted;

void roster_mute(void)
{
	muted++;
}

/* A tick of the test is queued with the value 1. */
bool sampler_owns(const siginfo_t *info)
{
	return info->si_value.sival_int == 1;
}

/* ---- the program's part ---- */

static struct {
	int calls;
	int sig, code, value;
	bool has_context;
	sys_sigset mask; /* while it ran */
} heard;

static void remember(int sig)
{
	heard.calls++;
	heard.sig = sig;
	sys_sigprocmask(SIG_BLOCK, NULL, &heard.mask);
}

static void program_siginfo(int sig, siginfo_t *info, void *uc)
{
	remember(sig);
	heard.code = info->si_code;
	heard.value = info->si_value.sival_int;
	heard.has_context = arch_pc(uc) != 0;
}

static void program_handler(int sig)
{
	remember(sig);
}

static void program_sets(int sig, struct sys_sigaction action)
{
	struct sys_sigaction old;

	if (!signals_program_action(sig, &action, &old))
		bail_out("the signal is not claimed");
}

static sys_sigset mask_now(void)
{
	sys_sigset mask;

	sys_sigprocmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

/* Resets all, as in a program that has just started. */
static void start_anew(void)
{
	const struct sys_sigaction dfl = { .handler = SIG_DFL };

	for (int sig = 1; sig <= LAST_SIGNAL; sig++)
		sys_sigaction(sig, &dfl, NULL);
	memset(&signals, 0, sizeof(signals));
	memset(&fake, 0, sizeof(fake));
	memset(&heard, 0, sizeof(heard));
}

static void send(int sig, int value)
{
	sigqueue(getpid(), sig, (union sigval){ .sival_int = value });
}

/* ---- claims ---- */

static void claiming(void)
{
	struct sys_sigaction action;

	start_anew();
	ok(!signals_claimed(SIGTRAP) && !signals_claimed(0) && !signals_claimed(-1),
	   "at first no signal is ours");
	ok(signals_claim(SIGTRAP) == 0 && signals_claimed(SIGTRAP), "one is claimed");
	sys_sigaction(SIGTRAP, NULL, &action);
	ok(action.sigaction == arch_handler, "our handler is installed");
	ok((action.flags & (SA_RESTART | SA_ONSTACK)) == (SA_RESTART | SA_ONSTACK),
	   "one that cuts no call short and uses the program's alternate stack");
	ok(signals_claim(SIGTRAP) == 0, "claiming it again is fine");
	ok(!signals_claimed(SIGPROF) && !signals_claimed(0), "others are not ours");
	ok(signals_claim(SIGPROF) == 0 && signals_claim(SIGUSR1) == 0, "three can be claimed");
	ok(signals_claim(SIGUSR2) == -EBUSY && !signals_claimed(SIGUSR2), "not four");
	start_anew();
	ok(signals_claim(SIGKILL) == -EINVAL && !signals_claimed(SIGKILL),
	   "SIGKILL cannot be claimed");
}

static void what_the_program_set(void)
{
	struct sys_sigaction mine = { .handler = program_handler }, old = { 0 };

	start_anew();
	ok(!signals_program_handles(SIGTRAP), "the program handles nothing at first");
	signal(SIGTRAP, program_handler);
	ok(signals_program_handles(SIGTRAP), "it does when it has set a handler");
	signals_claim(SIGTRAP);
	ok(signals_program_handles(SIGTRAP), "also after the signal was claimed");
	ok(signals_program_action(SIGTRAP, NULL, &old) && old.handler == program_handler,
	   "and its handler is returned");
	signals_claim(SIGPROF);
	ok(!signals_program_handles(SIGPROF), "our own handler is not the program's");
	ok(signals_program_action(SIGPROF, &mine, &old) && old.handler == SIG_DFL &&
		   signals_program_handles(SIGPROF),
	   "a handler that is set later is remembered");
	mine.handler = SIG_IGN;
	ok(signals_program_action(SIGPROF, &mine, &old) && old.handler == program_handler &&
		   signals_program_handles(SIGPROF),
	   "so is ignoring it");
	ok(!signals_program_action(SIGUSR1, &mine, &old), "a signal that is not ours is refused");
}

/* ---- delivery ---- */

static void ticks_are_ours(void)
{
	start_anew();
	signals_claim(SIGTRAP);
	program_sets(SIGTRAP, (struct sys_sigaction){ .handler = program_handler });
	fake.tick = true;
	send(SIGTRAP, 1);
	ok(fake.asked == 1 && heard.calls == 0, "the program hears nothing of a tick");
	fake.tick = false;
	send(SIGTRAP, 2);
	ok(fake.asked == 2 && heard.calls == 1 && heard.sig == SIGTRAP,
	   "a signal that is not a tick goes to the program's handler");
}

static void what_the_handler_sees(void)
{
	sys_sigset before = mask_now();

	start_anew();
	signals_claim(SIGPROF);
	program_sets(SIGPROF, (struct sys_sigaction){ .sigaction = program_siginfo,
						      .flags = SA_SIGINFO,
						      .mask = SYS_SIGBIT(SIGUSR2) });
	send(SIGPROF, 42);
	ok(heard.calls == 1 && heard.sig == SIGPROF && heard.code == SI_QUEUE &&
		   heard.value == 42 && heard.has_context,
	   "it gets the signal as it was sent, with its context");
	ok(heard.mask == (before | SYS_SIGBIT(SIGPROF) | SYS_SIGBIT(SIGUSR2)),
	   "and runs with the mask it asked for");
	ok(mask_now() == before, "of which nothing is left when it returns");
	program_sets(SIGPROF,
		     (struct sys_sigaction){ .handler = program_handler, .flags = SA_NODEFER });
	send(SIGPROF, 2);
	ok(heard.calls == 2 && heard.mask == before, "SA_NODEFER: its own signal is not blocked");
}

static void once_only(void)
{
	start_anew();
	signals_claim(SIGPROF);
	program_sets(SIGPROF,
		     (struct sys_sigaction){ .handler = program_handler, .flags = SA_RESETHAND });
	send(SIGPROF, 2);
	ok(heard.calls == 1 && !signals_program_handles(SIGPROF),
	   "SA_RESETHAND: the handler is called once and then forgotten");
	ok(signals_claimed(SIGPROF), "SA_RESETHAND: ours stays");
}

static void ignoring(void)
{
	start_anew();
	signals_claim(SIGPROF);
	program_sets(SIGPROF, (struct sys_sigaction){ .handler = SIG_IGN });
	send(SIGPROF, 1);
	ok(fake.asked == 1 && heard.calls == 0, "a signal that the program ignores is ignored");
}

/* ---- the default action, in a child: it is to die ---- */

static int status_of_child(void (*run)(int sig), int sig)
{
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		const struct rlimit no_core = { 0, 0 };

		setrlimit(RLIMIT_CORE, &no_core);
		run(sig);
		_exit(0);
	}
	waitpid(child, &status, 0);
	return status;
}

static void be_killed(int sig)
{
	send(sig, 2);
}

static void be_raised(int sig)
{
	raise(sig);
}

/* Delivers a tick of a timer that the sampler no longer knows. */
static void be_ticked(int sig)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec soon = { .it_value.tv_nsec = 1000000 };
	int timer_id;

	sys_timer_create(CLOCK_MONOTONIC, &event, &timer_id);
	sys_timer_settime(timer_id, &soon);
	while (!fake.asked)
		sys_sched_yield();
}

static void be_profiled(int sig)
{
	const struct itimerval soon = { .it_value.tv_usec = 1000 };

	(void)sig;
	sys_setitimer(ITIMER_PROF, &soon);
	while (!fake.asked)
		;
}

static void default_actions(void)
{
	static const int sigs[] = { SIGTRAP, SIGPROF, FIRST_PRIVATE };

	start_anew();
	for (size_t i = 0; i < 3; i++)
		signals_claim(sigs[i]);
	for (size_t i = 0; i < 3; i++) {
		int status = status_of_child(be_killed, sigs[i]);

		ok(WIFSIGNALED(status) && WTERMSIG(status) == sigs[i],
		   "signal %d without a handler ends the program, by its own name", sigs[i]);
		status = status_of_child(be_raised, sigs[i]);
		ok(WIFSIGNALED(status) && WTERMSIG(status) == sigs[i], "also by raise()");
		status = status_of_child(be_ticked, sigs[i]);
		ok(WIFEXITED(status), "a left-over tick of a timer by signal %d does not", sigs[i]);
	}
	ok(WIFEXITED(status_of_child(be_profiled, SIGPROF)), "nor does one of ITIMER_PROF");
}

/* ---- a signal that the program has blocked ---- */

static void queue(int sig, int value)
{
	sigqueue(getpid(), sig, (union sigval){ .sival_int = value });
}

static void withholding(void)
{
	sys_sigset before = mask_now(), all = ~(sys_sigset)0, set;
	siginfo_t info;
	int sig;

	start_anew();
	fake.tick = false;
	sig = signals_claim_private();
	set = SYS_SIGBIT(sig);
	program_sets(sig, (struct sys_sigaction){ .handler = program_handler });
	signals_withhold(set);
	heard.calls = 0;
	/* Two ticks are pending as well: the program must not get them. */
	sys_sigprocmask(SIG_BLOCK, &all, NULL);
	queue(sig, 42);
	queue(sig, 1);
	queue(sig, 1);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
	ok(heard.calls == 0, "a signal that the program has blocked is not handled");
	ok(muted == 1 && (mask_now() & set), "it is blocked after all, and the thread not ticked");
	ok(signals_withheld() == 0, "nothing is withheld any more");
	ok(sys_sigpoll(&set, &info) == sig && info.si_value.sival_int == 42,
	   "and it is pending, as it came");
	ok(sys_sigpoll(&set, &info) == -EAGAIN, "alone");
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

/* Blocks everything but the signal, which comes here therefore. */
static void *withhold_elsewhere(void *argument)
{
	const int sig = *(int *)argument;
	sys_sigset others = ~SYS_SIGBIT(sig), set = SYS_SIGBIT(sig);
	siginfo_t info;

	sys_sigprocmask(SIG_SETMASK, &others, NULL);
	signals_withhold(set);
	sys_kill(sys_getpid(), sig);
	ok(signals_withheld() == 0 && (mask_now() & set),
	   "a kill() that another thread gets is put off");
	ok(sys_sigpoll(&set, &info) == sig, "and is still pending");
	return NULL;
}

static void withholding_elsewhere(void)
{
	sys_sigset before = mask_now(), all = ~(sys_sigset)0;
	pthread_t thread;
	int sig;

	start_anew();
	fake.tick = false;
	sig = signals_claim_private();
	program_sets(sig, (struct sys_sigaction){ .handler = program_handler });
	sys_sigprocmask(SIG_BLOCK, &all, NULL);
	if (pthread_create(&thread, NULL, withhold_elsewhere, &sig))
		bail_out("cannot create a thread");
	pthread_join(thread, NULL);
	sys_sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- the private signal ---- */

static void private_signal(void)
{
	int sig;

	start_anew();
	ok(signals_of_ticks() == 0, "before one is chosen, none is kept unblocked");
	sig = signals_claim_private();
	ok(sig == FIRST_PRIVATE && signals_claimed(sig),
	   "it is in the middle of the real-time ones");
	ok(signals_claim_private() == sig, "it stays the same");
	start_anew();
	signal(FIRST_PRIVATE, program_handler);
	signal(FIRST_PRIVATE + 1, SIG_IGN);
	sig = signals_claim_private();
	ok(sig == FIRST_PRIVATE + 2, "signals that the program handles or ignores are left to it");
	ok(signals_of_ticks() == SYS_SIGBIT(sig), "the one that was chosen is kept unblocked");
	start_anew();
	for (int i = SIGRTMIN + 1; i <= LAST_SIGNAL; i++)
		signal(i, program_handler);
	ok(signals_claim_private() == SIGRTMIN, "the last one left is found");
	start_anew();
	for (int i = SIGRTMIN; i <= LAST_SIGNAL; i++)
		signal(i, program_handler);
	ok(signals_claim_private() == -EBUSY, "where none is left there is none");
}

/* ---- the stack that it runs on ---- */

#define AREA 65536

static struct {
	_Alignas(64) unsigned char below[AREA], stack[AREA];
} alternate;

static bool is_on_alternate(uintptr_t address)
{
	return address >= (uintptr_t)alternate.below && address < (uintptr_t)(&alternate + 1);
}

/* Returns how many bytes of an alternate stack of this size, or of the least that the kernel
 * accepts, a signal takes. */
static size_t used_of(size_t size)
{
	stack_t stack = { .ss_sp = alternate.stack, .ss_size = size },
		none = { .ss_flags = SS_DISABLE };
	const unsigned char *bytes = (const unsigned char *)&alternate;
	size_t untouched = 0;

	memset(&alternate, 0xa5, sizeof(alternate));
	while (sigaltstack(&stack, NULL)) {
		if (errno != ENOMEM || stack.ss_size >= AREA)
			bail_out("sigaltstack()");
		stack.ss_size += 64;
	}
	send(SIGTRAP, 1);
	sigaltstack(&none, NULL);
	while (untouched < AREA + stack.ss_size && bytes[untouched] == 0xa5)
		untouched++;
	return AREA + stack.ss_size - untouched;
}

static void stacks_of_ours(void)
{
	char here;
	size_t frame, used;

	start_anew();
	signals_claim_private();
	frame = signals_frame_bytes();
	note("a signal frame is of %zu bytes", frame);
	ok(frame > 500 && frame < 32768, "how large a signal frame is has been measured");
	signals_claim(SIGTRAP);
	fake.asked = 0;
	fake.tick = true;
	used = used_of(AREA);
	ok(fake.asked == 1 && !is_on_alternate(fake.stack),
	   "a tick is not taken on the alternate stack");
	ok(fake.stack - (uintptr_t)&here > 1 << 20 || (uintptr_t)&here - fake.stack > 1 << 20,
	   "nor on the stack that runs");
	ok(used <= frame + 128, "of an alternate stack it takes what the kernel needs: %zu bytes",
	   used);
	used = used_of((frame + 128 + 63) / 64 * 64);
	ok(fake.asked == 2 && used <= frame + 128,
	   "one that is that small is not overrun: %zu bytes", used);
}

static void no_stack_is_free(void)
{
	uint32_t *last;
	size_t size;

	start_anew();
	signals_claim(SIGTRAP);
	program_sets(SIGTRAP, (struct sys_sigaction){ .handler = program_handler });
	for (char *word = handler_stacks.first; word < handler_stacks.end;
	     word += HANDLER_STACK_BYTES)
		*(uint32_t *)word = 1;
	fake.tick = true;
	send(SIGTRAP, 1);
	ok(fake.asked == 0 && heard.calls == 0, "where all are taken, a tick is dropped");
	send(SIGTRAP, 2);
	ok(fake.asked == 0 && heard.calls == 1, "a signal of the program's is not");
	ok(!handler_stacks_borrow(&size), "nor is one lent");
	last = (uint32_t *)(handler_stacks.end - HANDLER_STACK_BYTES);
	*last = 0;
	send(SIGTRAP, 1);
	ok(fake.asked == 1 && heard.calls == 1 && *last == 0,
	   "the last one is found, and given back");
	signals_reclaim();
	send(SIGTRAP, 1);
	ok(fake.asked == 2 && *(uint32_t *)handler_stacks.first == 0,
	   "in the child of a fork, all are free");
}

int main(void)
{
	claiming();
	stacks_of_ours();
	no_stack_is_free();
	what_the_program_set();
	ticks_are_ours();
	what_the_handler_sees();
	once_only();
	ignoring();
	default_actions();
	withholding();
	withholding_elsewhere();
	private_signal();
	return tap_done();
}
