/* SPDX-License-Identifier: MIT
 *
 * calls_binding.c - the first call of a function, which the dynamic linker binds on the way, at the
 * worst moments: in a signal handler while another function is being bound, and in a child that was
 * forked while another thread was binding; and with a signal mask that only the kernel can tell.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "calls_lib.h"
#include "calls_many.h"
#include "calls_target.h"

#define ROUNDS 15 /* unless the argument says how many */

/* Functions are bound in the process that calls them first: each round has one of its own. */
#define CALL(n)                                                                                    \
	static int call_##n(int x)                                                                 \
	{                                                                                          \
		return many_##n(x);                                                                \
	}
#define NAME(n) call_##n,

MANY(CALL)
static int (*const calls[MANY_COUNT])(int x) = { MANY(NAME) };

static volatile sig_atomic_t in_handler, wrong;

/* Calls the functions from the last to the first. */
static void on_signal(int signal)
{
	(void)signal;
	if (in_handler < MANY_COUNT / 2) {
		in_handler++;
		wrong += calls[MANY_COUNT - in_handler](1) != 2;
	}
}

static int bind_beside_handler(void)
{
	struct itimerval often = { { 0, 20 }, { 0, 20 } }, never = { 0 };

	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < MANY_COUNT / 2; i++)
		wrong += calls[i](i) != i + 1;
	setitimer(ITIMER_REAL, &never, NULL);
	expect("child libcalls_many.so:* calls=%d", MANY_COUNT / 2 + in_handler);
	return wrong;
}

/* Its threads are in the linker while it forks, and the child has to go there too. */
static void *bind_half(void *first)
{
	for (int i = 0; i < MANY_COUNT / 2; i++)
		calls[*(int *)first + i](i);
	return NULL;
}

static int check(pid_t child)
{
	int status;

	waitpid(child, &status, 0);
	if (status != 0)
		printf("a child ended with status %#x\n", (unsigned int)status);
	return status != 0;
}

static int bind_beside_fork(void)
{
	int first[] = { 0, MANY_COUNT / 2 }, failed = 0;
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, bind_half, &first[i]);
	for (int i = 0; i < 5; i++) {
		pid_t child = fork();

		if (child == 0) {
			alarm(10); /* in case that it hangs */
			_exit(lib_add(i, 1) != i + 1);
		}
		failed += check(child);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	expect("child libcalls_many.so:* calls=%d", MANY_COUNT);
	expect("child lib_add calls=5");
	return failed;
}

static void rounds_of(int (*round)(void))
{
	int failed = 0, rounds = *scenario_argument ? atoi(scenario_argument) : ROUNDS;

	for (int i = 0; i < rounds && !failed; i++) {
		pid_t child = fork();

		if (child == 0)
			_exit(round() != 0);
		failed = check(child);
	}
	printf("%s\n", failed ? "failed" : "all were right");
}

static void beside_handler(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	rounds_of(bind_beside_handler);
}

static void beside_fork(void)
{
	rounds_of(bind_beside_fork);
}

static void set_mask(int how, const uint64_t *set, uint64_t *old)
{
	if (syscall(SYS_rt_sigprocmask, how, set, old, sizeof(*old)) != 0)
		fail("rt_sigprocmask");
}

/* Blocks libc's own signals, as threads that libc starts for itself do. Code that blocks signals
 * while a function is bound, or a library closed, must leave the mask as it was. */
static void keeps_mask(void)
{
	const uint64_t libc_signals = UINT64_C(7) << (32 - 1);
	uint64_t before, after;
	void *library;

	set_mask(SIG_BLOCK, &libc_signals, NULL);
	set_mask(SIG_BLOCK, NULL, &before);
	wrong += calls[0](0) != 1;
	set_mask(SIG_BLOCK, NULL, &after);
	printf("bound: %s\n", after == before ? "the same mask" : "another mask");
	library = dlopen("libm.so.6", RTLD_LAZY);
	wrong += library && !dlsym(library, "cos");
	if (library)
		dlclose(library);
	set_mask(SIG_BLOCK, NULL, &after);
	printf("closed: %s\n", after == before ? "the same mask" : "another mask");
	expect("libcalls_many.so:* calls=1");
}

static const struct scenario scenarios[] = {
	{ "beside_handler", beside_handler },
	{ "beside_fork", beside_fork },
	{ "keeps_mask", keeps_mask },
};

MAIN_OF(scenarios)
