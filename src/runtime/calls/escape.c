/* SPDX-License-Identifier: MIT
 *
 * escape.c - exceptions, cancellation and pthread_exit() passing through a stub: the personality of
 * its frame.
 *
 * A stub's frame has no size: its CFA is the caller's stack pointer. An unwinder that looks for the
 * catching frame by its CFA therefore stops one too early, at the stub, if the caller itself
 * catches. Then the exception lands in arch_landing, which continues as if the caller had called
 * _Unwind_Resume().
 *
 * Runs in the throwing thread, where libc may be used as far as an unwinder uses it itself.
 */
#include <dlfcn.h>
#include <unwind.h>

#include "arena.h"
#include "left.h"
#include "put_back.h"
#include "slots.h"
#include "state.h"
#include "threads.h"

/* Decides what unwinders do at a stub. Called by them, and by arch_landing. */
_Unwind_Reason_Code calls_personality(int version, _Unwind_Action actions,
				      _Unwind_Exception_Class class,
				      struct _Unwind_Exception *exception,
				      struct _Unwind_Context *context);
void *calls_landed(struct slot *slot);

/* Functions of one unwinder: there may be several, and each supports only its own contexts. */
struct unwinder {
	const void *base;      /* address of its object; NULL: the entry is free */
	uint32_t closed_count; /* when it was looked up: another object may be at the base since
				  then */
	_Unwind_Ptr (*get_ip)(struct _Unwind_Context *);
	_Unwind_Word (*get_cfa)(struct _Unwind_Context *);
	void (*set_ip)(struct _Unwind_Context *, _Unwind_Ptr);
	void (*set_gr)(struct _Unwind_Context *, int, _Unwind_Word);
	void *resume;
};

#define UNWINDERS_MAX 8

/*
 * A program with its unwinder linked in exports none of it. If it is libgcc's, as ours is, its
 * contexts have the same layout, and ours can continue its work.
 */
static const struct unwinder own = { .get_ip = _Unwind_GetIP,
				     .get_cfa = _Unwind_GetCFA,
				     .set_ip = _Unwind_SetIP,
				     .set_gr = _Unwind_SetGR,
				     .resume = (void *)_Unwind_Resume };

static _Unwind_Reason_Code stop(struct _Unwind_Context *context, void *argument)
{
	(void)context;
	(void)argument;
	return _URC_END_OF_STACK;
}

/* Returns our unwinder. libgcc prepares its tables at the first walk of a stack. */
static struct unwinder own_prepared(void)
{
	_Unwind_Backtrace(stop, NULL);
	return own;
}

/* An object that hides its unwinder may depend on another one, whose functions dlsym() finds. */
static bool is_whole(const struct unwinder *unwinder, const void *base)
{
	Dl_info info;

	return unwinder->get_ip && unwinder->get_cfa && unwinder->set_ip && unwinder->set_gr &&
	       unwinder->resume && dladdr((void *)unwinder->get_ip, &info) &&
	       info.dli_fbase == base;
}

static struct unwinder look_up(const char *path, const void *base)
{
	void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
	struct unwinder found = own;

	if (!handle)
		return own_prepared();
	found.get_ip = dlsym(handle, "_Unwind_GetIP");
	found.get_cfa = dlsym(handle, "_Unwind_GetCFA");
	found.set_ip = dlsym(handle, "_Unwind_SetIP");
	found.set_gr = dlsym(handle, "_Unwind_SetGR");
	found.resume = dlsym(handle, "_Unwind_Resume");
	dlclose(handle);
	return is_whole(&found, base) ? found : own_prepared();
}

/* The unwinders met so far. Guarded by the lock: threads may throw by different ones at once. */
static struct unwinder unwinders[UNWINDERS_MAX];

/* Returns its entry, or else a free one: the last entry is shared by all that do not fit. */
static struct unwinder *place_of(const void *base)
{
	struct unwinder *place = unwinders;

	while (place < unwinders + UNWINDERS_MAX - 1 && place->base && place->base != base)
		place++;
	return place;
}

static bool is_known(const void *base, struct unwinder *unwinder)
{
	sys_sigset mask = state_lock();

	*unwinder = *place_of(base);
	state_unlock(mask);
	return unwinder->base == base && unwinder->closed_count == calls_state.closed_count;
}

static void keep(const struct unwinder *unwinder)
{
	sys_sigset mask = state_lock();

	*place_of(unwinder->base) = *unwinder;
	state_unlock(mask);
}

/* Finds the unwinder that contains the code at `address`. False: no object contains it. */
static bool unwinder_of(const void *address, struct unwinder *unwinder)
{
	uint32_t closed_count = calls_state.closed_count;
	Dl_info info;

	if (!dladdr(address, &info))
		return false;
	if (is_known(info.dli_fbase, unwinder))
		return true;
	*unwinder = look_up(info.dli_fname, info.dli_fbase);
	unwinder->base = info.dli_fbase;
	unwinder->closed_count = closed_count;
	keep(unwinder);
	return true;
}

/* Returns the stack pointer when the slot's function has returned. A stub's frame has no size. */
static uintptr_t cfa_of(const struct slot *slot)
{
	uintptr_t entry_sp = left_frame_of(slot) + SP_BELOW_FRAME + ARCH_ENTRY_ABOVE_FRAME;

	return entry_sp + (ARCH_RETURN_ON_STACK ? sizeof(uintptr_t) : 0);
}

/*
 * Returns the slot of the stub that the context is at. NULL: the context is that of another
 * unwinder than libgcc, so that anything may be read there, even what remains of other functions'
 * frames: the address of a stub, but not the CFA of its frame beside it.
 */
static struct slot *slot_of(const struct unwinder *unwinder, struct _Unwind_Context *context)
{
	struct slot *slot = arena_slot_of(unwinder->get_ip(context));

	return slot && unwinder->get_cfa(context) == cfa_of(slot) ? slot : NULL;
}

/*
 * Handles an unwinder that is linked into its program and is not libgcc's: its context can be
 * neither read nor changed. While it searches, this removes the stub from the stack, so that it
 * does not meet it when it unwinds.
 */
static void step_aside(_Unwind_Action actions)
{
	struct calls_thread *thread = threads_this();

	if (actions & _UA_SEARCH_PHASE && thread)
		put_back_innermost(thread, (uintptr_t)__builtin_frame_address(0));
}

/*
 * Returns the thread that keeps the state for the landing. Not the slot: the unwinder may make
 * wrapped calls before it gets there, whose times are added to it.
 */
static struct calls_thread *lander(const struct slot *slot)
{
	struct calls_thread *thread = threads_this();

	return thread ? thread : slot->owner;
}

_Unwind_Reason_Code calls_personality(int version, _Unwind_Action actions,
				      _Unwind_Exception_Class class,
				      struct _Unwind_Exception *exception,
				      struct _Unwind_Context *context)
{
	struct unwinder unwinder;
	bool is_found = unwinder_of(__builtin_return_address(0), &unwinder);
	struct slot *slot = is_found ? slot_of(&unwinder, context) : NULL;

	(void)version;
	(void)class;
	if (!slot) {
		step_aside(actions);
		return _URC_CONTINUE_UNWIND;
	}
	if (!(actions & _UA_CLEANUP_PHASE))
		return _URC_CONTINUE_UNWIND;
	slots_escape(slot);
	if (!(actions & _UA_HANDLER_FRAME))
		return _URC_CONTINUE_UNWIND;
	lander(slot)->resume = unwinder.resume;
	unwinder.set_gr(context, ARCH_LANDING_EXCEPTION, (_Unwind_Word)exception);
	unwinder.set_gr(context, ARCH_LANDING_SLOT, (_Unwind_Word)slot);
	unwinder.set_ip(context, (_Unwind_Ptr)arch_landing);
	return _URC_INSTALL_CONTEXT;
}

/* Frees the slot, since the return address is back on the stack; returns where to resume. */
void *calls_landed(struct slot *slot)
{
	void *resume = lander(slot)->resume;

	slots_leave(threads_this(), slot);
	return resume;
}
