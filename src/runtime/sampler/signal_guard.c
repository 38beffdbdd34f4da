/* SPDX-License-Identifier: MIT
 *
 * signal_guard.c - interposes libc's sigaction(), sigprocmask() and their kin, if the library is
 * linked before libc or preloaded, so that the ticks' signals stay ours:
 *
 *   - a handler the program sets for such a signal is remembered and called for signals that are
 *     not ticks (signals.c), instead of replacing ours and being called for ticks;
 *   - a handler that runs on a small alternate stack, where the signal frame of a tick may not fit,
 *     is not interrupted by one;
 *   - a thread that blocks "all signals", as worker threads often do, does not block ticks.
 *
 * As long as no clock has been started, sigaction() is libc's; the masks are guarded from the
 * start, since a thread that has blocked a signal cannot be reached from outside later.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "altstack_guard.h"
#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "faults.h"
#include "kernel_action.h"
#include "roster.h"
#include "sampler.h"
#include "signal_guard.h"
#include "signals.h"
#include "thread.h"

#define LAST_SIGNAL 64

typedef int set_action(int, const struct sigaction *, struct sigaction *);
typedef int set_mask(int, const sigset_t *, sigset_t *);
typedef sighandler_t set_handler(int, sighandler_t);

static struct {
	set_action *sigaction;
	set_mask *sigprocmask, *pthread_sigmask;
	set_handler *signal;
} libc;

/* Finds libc's functions. Idempotent; also called early, by constructors of other libraries. */
static void guard_init(void)
{
	if (libc.sigaction)
		return;
	INTERPOSE_FIND(libc.sigprocmask, "sigprocmask");
	INTERPOSE_FIND(libc.pthread_sigmask, "pthread_sigmask");
	INTERPOSE_FIND(libc.signal, "signal");
	INTERPOSE_FIND(libc.sigaction, "sigaction");
}

__attribute__((constructor)) static void guard_at_load(void)
{
	guard_init();
}

/* ---- dispositions ---- */

/* Returns the program's set in the kernel's form. */
static sys_sigset bits_of(const sigset_t *set)
{
	sys_sigset bits;

	memcpy(&bits, set, sizeof(bits));
	return bits;
}

static void set_bits(sigset_t *set, sys_sigset bits)
{
	memcpy(set, &bits, sizeof(bits));
}

static bool is_guarded(int sig)
{
	return signals_claimed(sig) || (sig == SIGBUS && faults_signal());
}

/* Stops a clock that has borrowed the signal. Its ticks that are pending come when the lock is
 * released, and are still its own: a handler of the program's would take them for its signals. */
static void give_back(int sig)
{
	sys_sigset mask = lock_take();

	sampler_give_back(sig);
	lock_release(mask);
}

static bool guarded_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sys_sigaction kernel_new, kernel_old;
	sys_sigset mask;
	bool ours;

	if (new) {
		kernel_new = to_kernel(new);
		give_back(sig);
	}
	mask = lock_take();
	ours = faults_program_action(sig, new ? &kernel_new : NULL, &kernel_old) ||
	       signals_program_action(sig, new ? &kernel_new : NULL, &kernel_old);
	if (ours && new) /* another thread may have started it again */
		sampler_give_back(sig);
	lock_release(mask);
	if (ours && old)
		*old = from_kernel(&kernel_old);
	return ours;
}

/* ---- handlers that no tick interrupts ---- */

static struct {
	_Atomic bool wanted;
	sys_sigset added[LAST_SIGNAL + 1]; /* added to the masks of handlers, for each signal */
} spared;

/* Returns the signals to add to the mask of a handler. */
static sys_sigset to_add(int flags, const void *handler, sys_sigset mask)
{
	bool is_handler = handler != (void *)SIG_DFL && handler != (void *)SIG_IGN;

	return is_handler && flags & SA_ONSTACK ? signals_of_ticks() & ~mask : 0;
}

static bool is_spared(int sig)
{
	return atomic_load(&spared.wanted) && sig > 0 && sig <= LAST_SIGNAL;
}

void signal_guard_ticks_changed(void)
{
	struct sys_sigaction action;

	for (int sig = 1; is_spared(sig); sig++) {
		sys_sigset add;

		if (signals_claimed(sig) || sys_sigaction(sig, NULL, &action))
			continue;
		add = to_add((int)action.flags, (void *)action.sigaction, action.mask);
		if (!add)
			continue;
		action.mask |= add;
		spared.added[sig] |= add;
		sys_sigaction(sig, &action, NULL);
	}
}

void signal_guard_spare_handlers(void)
{
	sys_sigset mask;

	if (atomic_exchange(&spared.wanted, true))
		return;
	mask = lock_take();
	signal_guard_ticks_changed();
	lock_release(mask);
}

/*
 * Calls libc's sigaction(), and hides from the program the signals that were added. Without the
 * lock: see sampler_before_exec().
 */
static int spared_action(int sig, const struct sigaction *new, struct sigaction *old)
{
	struct sigaction ours;
	sys_sigset add = 0, added;
	int result;

	if (!is_spared(sig))
		return libc.sigaction(sig, new, old);
	added = spared.added[sig];
	if (new) {
		ours = *new;
		add = to_add(new->sa_flags, (void *)new->sa_sigaction, bits_of(&new->sa_mask));
		set_bits(&ours.sa_mask, bits_of(&new->sa_mask) | add);
	}
	result = libc.sigaction(sig, new ? &ours : NULL, old);
	if (new &&result == 0)
		spared.added[sig] = add;
	if (old && result == 0)
		set_bits(&old->sa_mask, bits_of(&old->sa_mask) & ~added);
	return result;
}

/* ---- handlers in place of the default action ---- */

struct stand_in {
	_Atomic(signal_guard_handler *) handler; /* NULL: there is none */
	int flags;
	sys_sigset set;
};

/*
 * For signals that end a profiled program, and for ticks that cannot be delivered: the first takes
 * precedence.
 */
static struct stand_in stand_ins[2];

void signal_guard_stand_in(signal_guard_handler *handler, int flags, sys_sigset set)
{
	struct stand_in *s = &stand_ins[atomic_load(&stand_ins[0].handler) != NULL];

	s->flags = flags;
	s->set = set;
	atomic_store(&s->handler, handler);
}

static const struct stand_in *stand_in_for(int sig)
{
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (atomic_load(&stand_ins[i].handler) && sig > 0 && sig <= LAST_SIGNAL &&
		    stand_ins[i].set & SYS_SIGBIT(sig))
			return &stand_ins[i];
	return NULL;
}

/* Shows and sets the default action where the handler stands in for it. Without the lock. */
static int action_stood_in(const struct stand_in *s, int sig, const struct sigaction *new,
			   struct sigaction *old)
{
	struct sigaction ours = { .sa_sigaction = s->handler, .sa_flags = s->flags };
	int result;

	sigfillset(&ours.sa_mask);
	if (new &&new->sa_handler == SIG_DFL)
		new = &ours;
	result = spared_action(sig, new, old);
	if (result == 0 && old && old->sa_sigaction == s->handler)
		*old = (struct sigaction){ .sa_handler = SIG_DFL };
	return result;
}

EXPORT int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	const struct stand_in *stand_in = stand_in_for(sig);

	guard_init();
	if (is_guarded(sig) && guarded_action(sig, new, old))
		return 0;
	if (stand_in)
		return action_stood_in(stand_in, sig, new, old);
	return spared_action(sig, new, old);
}

EXPORT sighandler_t signal(int sig, sighandler_t handler)
{
	struct sigaction new = action_of_signal(sig, handler), old;
	const struct stand_in *stand_in = stand_in_for(sig);

	guard_init();
	if (is_guarded(sig) && guarded_action(sig, &new, &old))
		return old.sa_handler;
	if (stand_in)
		return action_stood_in(stand_in, sig, &new, &old) ? SIG_ERR : old.sa_handler;
	return libc.signal(sig, handler);
}

/* ---- masks ---- */

/*
 * Changes the mask, but lets ticks and faults through. Signals of these that it would have blocked
 * are withheld, and shown in *old as if they were blocked. Before the first clock is started, it
 * withholds none.
 */
static int change_mask(set_mask *change, int how, const sigset_t *set, sigset_t *old)
{
	sys_sigset ours = signals_of_ticks() | faults_signal(), before = signals_withheld(), wanted,
		   now;
	sigset_t without;
	int result;

	/* libgcc blocks all signals before it changes to another segment of the stack. */
	if (how == SIG_BLOCK && arch_splits_stack())
		altstack_guard_split();
	if (!ours)
		return change(how, set, old);
	if (!set) {
		result = change(how, NULL, old);
	} else {
		wanted = bits_of(set);
		without = *set;
		if (how == SIG_UNBLOCK)
			now = before & ~wanted;
		else
			now = (how == SIG_BLOCK ? before : 0) | (wanted & ours);
		if (how != SIG_UNBLOCK)
			set_bits(&without, wanted & ~ours);
		result = change(how, &without, old);
		if (result == 0) {
			signals_withhold(now);
			roster_unmute();
		}
	}
	if (result == 0 && old)
		set_bits(old, bits_of(old) | before);
	return result;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	guard_init();
	return change_mask(libc.sigprocmask, how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	guard_init();
	return change_mask(libc.pthread_sigmask, how, set, old);
}
