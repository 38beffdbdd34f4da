/* SPDX-License-Identifier: MIT
 *
 * altstack_guard.c - stands in front of libc's sigaltstack(), where the library is linked before
 * libc or preloaded: no tick may come to a thread whose alternate stack has no room for the
 * kernel's signal frame, nor to a handler that has left no room for another one.
 */
#include "altstack_guard.h"

#include <signal.h>

#include "altstacks.h"
#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "sampler.h"
#include "signal_guard.h"
#include "sys.h"

typedef int set_stack(const stack_t *, stack_t *);

static set_stack *libc_sigaltstack;

__attribute__((constructor)) static void guard_at_load(void)
{
	INTERPOSE_FIND(libc_sigaltstack, "sigaltstack");
}

/* A small stack is announced before ticks can reach it, any other when the small one is gone. */
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
	was_small = altstacks_size(&now) && altstacks_may_be_small(altstacks_size(&now));
	is_small = altstacks_size(new) && altstacks_may_be_small(altstacks_size(new));
	if (altstacks_size(new) && altstacks_is_tight(altstacks_size(new)))
		signal_guard_spare_handlers();
	if (is_small)
		sampler_altstack(altstacks_size(new));
	result = libc_sigaltstack(new, old);
	if (was_small || is_small)
		sampler_altstack(altstacks_size(result ? &now : new));
	return result;
}

/* The first time, the thread is still on the stack that it began with. */
void altstack_guard_split(void)
{
	stack_t now;

	if (altstacks_forbid(sys_gettid()) || sys_sigaltstack(NULL, &now))
		return;
	if (now.ss_flags & SS_DISABLE)
		sampler_altstack(altstacks_size(&now));
}
