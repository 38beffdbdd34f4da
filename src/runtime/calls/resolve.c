/* SPDX-License-Identifier: MIT
 *
 * resolve.c - a call of a resolver: makes the call, and replaces what it has found. May run in any
 * context in which the resolver may. Holds no lock while the resolver runs.
 */
#include "base/export.h"
#include "calls.h"
#include "process.h"
#include "resolvers.h"
#include "runtime.h"
#include "wrapper.h"

typedef uintptr_t resolver_function(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t,
				    uintptr_t);

/*
 * Called by arch_enter_resolver in place of the function: `arguments` are its first
 * RESOLVER_ARGUMENTS words, `caller` is its return address. Returns what the function returns.
 */
uintptr_t calls_resolve(struct callee *function, const uintptr_t *arguments, uintptr_t caller);
void calls_count(struct callee *function, const uintptr_t *frame);

EXPORT void dwell_calls_resolving(runtime_wrap *wrap)
{
	__atomic_store_n(&calls_state.wrap, wrap, __ATOMIC_RELEASE);
}

/* Returns the replacement for a function that was found. */
static void *replacement(const struct callee *resolver, void *found, const char *name,
			 uintptr_t caller)
{
	runtime_wrap *wrap = __atomic_load_n(&calls_state.wrap, __ATOMIC_ACQUIRE);
	void *wrapped;

	if (!found || !name || !wrap)
		return found;
	wrapped = wrap(&(struct runtime_found){ .target = found,
						.name = name,
						.resolver = (uintptr_t)resolver->target,
						.caller = caller });
	if (wrapped)
		return wrapped;
	if (calls_state.entry.process)
		process_lost(&calls_state.entry.process->lost_functions);
	return found;
}

uintptr_t calls_resolve(struct callee *function, const uintptr_t *arguments, uintptr_t caller)
{
	const struct resolver *resolver = resolvers_get(function->resolver);
	resolver_function *target = (resolver_function *)function->target;
	const char *name = (const char *)arguments[resolver->asked];
	uintptr_t result;
	void **place;

	if (!function->is_unseen)
		calls_count(function, &caller);
	result = target(arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
			arguments[5]);
	if (resolver->result == RESOLVER_RETURNS)
		return (uintptr_t)replacement(function, (void *)result, name, caller);
	place = (void **)arguments[resolver->result];
	/* A status of 32 bits; without success, the place may never have been written. */
	if ((uint32_t)result == 0 && place)
		*place = replacement(function, *place, name, caller);
	return result;
}
