/* SPDX-License-Identifier: MIT
 *
 * altstack_guard.c - interposes libc's sigaltstack(), if the library is linked before libc or
 * preloaded: no tick may reach a thread whose alternate stack is too small for the kernel's signal
 * frame, nor a handler that has left no room for another one; and a tick for a thread whose
 * alternate stack was unmapped must not end the program.
 */
#include "altstack_guard.h"

#include <signal.h>
#include <stdatomic.h>

#include "altstacks.h"
#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "sampler.h"
#include "signal_guard.h"
#include "signals.h"
#include "sys.h"
#include "undelivered.h"

typedef int set_stack(const stack_t *, stack_t *);

static set_stack *libc_sigaltstack;

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc_sigaltstack, "sigaltstack");
}

/* ---- stacks that are gone ---- */

static struct {
	_Atomic bool wanted; /* a thread has had an alternate stack */
	_Atomic bool in_place;
} undelivered;

/*
 * Installs the handler, unless the program handles or ignores SIGSEGV. Another thread may set one
 * at the same time.
 */
static void install(void)
{
	struct sys_sigaction ours = { .sigaction = undelivered_on_segv,
				      .flags = SA_SIGINFO | SA_RESTART | ARCH_SA_RESTORER,
				      .restorer = arch_sigreturn,
				      .mask = ~(sys_sigset)0 };
	struct sys_sigaction now;

	if (sys_sigaction(SIGSEGV, NULL, &now) || now.handler != SIG_DFL)
		return;
	if (sys_sigaction(SIGSEGV, &ours, &now) == 0 && now.handler != SIG_DFL)
		sys_sigaction(SIGSEGV, &now, NULL);
}

/*
 * Keeps the default action of SIGSEGV in programs without alternate stacks, or without ticks. Not
 * SA_ONSTACK: that stack is what may be gone.
 */
void altstack_guard_ticks_changed(void)
{
	if (!atomic_load(&undelivered.wanted) || !signals_of_ticks() ||
	    atomic_exchange(&undelivered.in_place, true))
		return;
	signal_guard_stand_in(undelivered_on_segv, SA_SIGINFO | SA_RESTART, SYS_SIGBIT(SIGSEGV));
	install();
}

static void watch_stack(void)
{
	atomic_store(&undelivered.wanted, true);
	altstack_guard_ticks_changed();
}

/* ---- calls of the program ---- */

/* Reports a small stack before ticks can reach it, any other after the small one is gone. */
EXPORT int sigaltstack(const stack_t *new, stack_t *old)
{
	stack_t now = { .ss_flags = SS_DISABLE };
	bool was_small, is_small;
	int result;

	if (!libc_sigaltstack)
		guard_at_load();
	if (!new)
		return libc_sigaltstack(new, old);
	sys_sigaltstack(NULL, &now);
	was_small = altstacks_forbid(sys_gettid()) ||
		    (altstacks_size(&now) && altstacks_may_be_small(altstacks_size(&now)));
	is_small = altstacks_size(new) && altstacks_may_be_small(altstacks_size(new));
	if (altstacks_size(new) && altstacks_is_tight(altstacks_size(new)))
		signal_guard_spare_handlers();
	if (is_small)
		sampler_altstack(altstacks_size(new));
	if (!(new->ss_flags &SS_DISABLE))
		watch_stack();
	result = libc_sigaltstack(new, old);
	if (was_small || is_small)
		sampler_altstack(altstacks_size(result ? &now : new));
	return result;
}

/* The first time, the thread is still on its initial stack. */
void altstack_guard_split(void)
{
	stack_t now;

	if (altstacks_forbid(sys_gettid()) || sys_sigaltstack(NULL, &now))
		return;
	if (now.ss_flags & SS_DISABLE)
		sampler_altstack(altstacks_size(&now));
}
