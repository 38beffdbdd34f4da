/* SPDX-License-Identifier: MIT
 *
 * thread_hook.c - interposes libc's pthread_create() and thrd_create(), if the library is linked
 * before libc or preloaded, so that a thread arms its clock first of all.
 *
 * Nothing here runs in a signal handler. A destructor of thread-specific data notices the thread's
 * exit; it runs for return, pthread_exit() and cancellation alike. That takes one of libc's keys,
 * which the program gets if it needs them all.
 */
#include "thread_hook.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <threads.h>

#include "base/export.h"
#include "runtime/guard/interpose.h"
#include "roster.h"
#include "runtime/guard/sanitizer.h"
#include "signals.h"

typedef int create_pthread(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int create_key(pthread_key_t *, void (*)(void *));
typedef int create_tss(tss_t *, tss_dtor_t);
typedef int create_thrd(thrd_t *, thrd_start_t, void *);

#define ERRANDS 64 /* threads being created at a time; any more use malloc() */

/* The function that the thread is to run. Taken by the creator, given back by the thread. */
struct errand {
	union {
		void *(*pthread_start)(void *);
		thrd_start_t thrd_start;
	};
	void *arg;
	sys_sigset withheld; /* a thread inherits its creator's mask, and the signals withheld from
				it */
	_Atomic bool taken;
};

static struct {
	create_pthread *pthread_create;
	create_thrd *thrd_create;
	create_key *pthread_key_create;
	create_tss *tss_create;
	pthread_key_t at_exit;
	_Atomic bool has_key; /* at_exit is valid */
	_Atomic bool in_place;
} hook;

/*
 * Not from malloc(): a free() in a new thread creates an arena for it, mostly address space, in
 * programs whose threads would never have one.
 */
static struct errand errands[ERRANDS];

static struct errand *errand_take(void)
{
	for (size_t i = 0; i < ERRANDS; i++)
		if (!atomic_load_explicit(&errands[i].taken, memory_order_relaxed) &&
		    !atomic_exchange_explicit(&errands[i].taken, true, memory_order_acquire))
			return &errands[i];
	return sanitizer_is_there() ? NULL : malloc(sizeof(struct errand));
}

static void errand_give_back(struct errand *errand)
{
	if (errand >= errands && errand < errands + ERRANDS)
		atomic_store_explicit(&errand->taken, false, memory_order_release);
	else
		free(errand);
}

static void thread_ends(void *start)
{
	roster_gone((uintptr_t)start);
}

static create_pthread hooked_pthread_create;
static create_key *libc_key_create(void);

/*
 * Finds libc's functions. Idempotent; also called early, by constructors of other libraries that
 * start threads.
 */
static void hook_init(void)
{
	create_key *create = libc_key_create();

	if (hook.pthread_create)
		return;
	INTERPOSE_FIND(hook.thrd_create, "thrd_create");
	/* If musl has dlopened us, libc is not behind us, and no program calls our functions. */
	hook.has_key = create && create(&hook.at_exit, thread_ends) == 0;
	hook.in_place = hook.has_key &&
			dlsym(RTLD_DEFAULT, "pthread_create") == (void *)hooked_pthread_create;
	INTERPOSE_FIND(hook.pthread_create, "pthread_create");
}

__attribute__((constructor)) static void hook_at_load(void)
{
	hook_init();
}

/* Initialises the hook first: another library's constructor may start the clock before ours run. */
bool thread_hook_in_place(void)
{
	hook_init();
	return hook.in_place;
}

static struct errand thread_begins(void *arg)
{
	struct errand errand = *(struct errand *)arg;

	errand_give_back(arg);
	signals_withhold(errand.withheld);
	/* Any value but NULL makes libc call the destructor. */
	if (hook.has_key)
		pthread_setspecific(hook.at_exit, (void *)errand.pthread_start);
	roster_born();
	return errand;
}

static void *run_pthread(void *arg)
{
	struct errand errand = thread_begins(arg);

	return errand.pthread_start(errand.arg);
}

static int run_thrd(void *arg)
{
	struct errand errand = thread_begins(arg);

	return errand.thrd_start(errand.arg);
}

static int hooked_pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				 void *(*start)(void *), void *arg)
{
	struct errand *errand;
	int err;

	hook_init();
	errand = hook.in_place ? errand_take() : NULL;
	if (!errand) /* the census will find the thread */
		return hook.pthread_create(thread, attr, start, arg);
	*errand = (struct errand){
		.pthread_start = start, .arg = arg, .withheld = signals_withheld(), .taken = true
	};
	/*
	 * By a jump, so that a report on the thread shows its real creator. If there is none after
	 * all, the errand is lost; when all are, the census finds threads.
	 */
	if (sanitizer_is_there())
		return hook.pthread_create(thread, attr, run_pthread, errand);
	err = hook.pthread_create(thread, attr, run_pthread, errand);
	if (err)
		errand_give_back(errand);
	return err;
}

/*
 * An alias, so that our own has a name: in a library that was dlopened, `pthread_create` is libc's
 * even here.
 */
EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
			  void *arg) __attribute__((alias("hooked_pthread_create")));

EXPORT int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	struct errand *errand;
	int err;

	hook_init();
	errand = hook.in_place ? errand_take() : NULL;
	if (!errand)
		return hook.thrd_create(thread, start, arg);
	*errand = (struct errand){
		.thrd_start = start, .arg = arg, .withheld = signals_withheld(), .taken = true
	};
	err = hook.thrd_create(thread, run_thrd, errand);
	if (err != thrd_success)
		errand_give_back(errand);
	return err;
}

/* ---- keys ---- */

static create_key *libc_key_create(void)
{
	if (!hook.pthread_key_create)
		INTERPOSE_FIND(hook.pthread_key_create, "pthread_key_create");
	return hook.pthread_key_create;
}

/*
 * Gives our key to a program that uses as many keys as libc has. From then on, only the census
 * finds threads that start or end. Returns whether there is one more now.
 */
static bool give_up_key(void)
{
	if (!atomic_exchange(&hook.has_key, false))
		return false;
	hook.in_place = false;
	return pthread_key_delete(hook.at_exit) == 0;
}

void thread_hook_retire(void)
{
	hook_init();
	give_up_key();
}

EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int err = libc_key_create()(key, destructor);

	return err == EAGAIN && give_up_key() ? libc_key_create()(key, destructor) : err;
}

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
	int result;

	if (!hook.tss_create)
		INTERPOSE_FIND(hook.tss_create, "tss_create");
	result = hook.tss_create(key, destructor);
	return result != thrd_success && give_up_key() ? hook.tss_create(key, destructor) : result;
}
