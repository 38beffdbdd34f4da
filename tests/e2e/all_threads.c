/* SPDX-License-Identifier: MIT
 *
 * Every thread is sampled, without the program's help: those that exist already and those born
 * later, however they were made, whatever signals they block, and while the main thread sleeps.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>

#include "emulated.h"
#include "load.h"
#include "tap.h"

DEFINE_BURNER(burn)

#define HZ      200
#define SECONDS 0.2
#define DUE     40 /* samples */

static pthread_barrier_t barrier;

/* Checks for about DUE more samples, give or take one that was under way. */
static void expect(const char *what)
{
	ok(everything[0] >= DUE - 2 && everything[0] <= DUE + 4, "%s: %u of %d", what,
	   everything[0], DUE);
	count_nothing();
}

static void *wait_and_burn(void *unused)
{
	pthread_barrier_wait(&barrier);
	burn(SECONDS);
	return unused;
}

static void *burn_at_once(void *unused)
{
	burn(SECONDS);
	return unused;
}

static int burn_c11(void *unused)
{
	(void)unused;
	burn(SECONDS);
	return 0;
}

static void *burn_blocked(void *unused)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	burn(SECONDS);
	return unused;
}

static void *burn_and_exit(void *unused)
{
	burn(SECONDS);
	pthread_exit(unused);
}

static void *exit_at_once(void *unused)
{
	pthread_exit(unused);
}

/* libc opens libgcc_s for the first thread that ends so, which takes an emulator long. */
static void open_libgcc(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, exit_at_once, NULL);
	pthread_join(thread, NULL);
}

static void *burn_until_cancelled(void *unused)
{
	burn(SECONDS);
	for (;;)
		pause();
	return unused;
}

static void existing(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, wait_and_burn, NULL);
	count_everything();
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	expect("a thread that existed");
}

static void born_later(const char *what, void *(*start)(void *), bool cancel)
{
	pthread_t thread;

	count_everything();
	pthread_create(&thread, NULL, start, NULL);
	if (cancel) {
		while (everything[0] < DUE - 1)
			usleep(10000);
		pthread_cancel(thread);
	}
	pthread_join(thread, NULL);
	expect(what);
}

static void c11(void)
{
	thrd_t thread;

	count_everything();
	thrd_create(&thread, burn_c11, NULL);
	thrd_join(thread, NULL);
	expect("thrd_create()");
}

/* Blocks all signals, then starts the workers, as servers usually do. This makes no difference if
 * the server profiles from the start. */
static void all_blocked(void)
{
	sigset_t all, before, now;
	pthread_t thread;
	bool seen = true;

	count_everything();
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	pthread_create(&thread, NULL, wait_and_burn, NULL);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	expect("a thread born with all signals blocked");
	pthread_sigmask(SIG_SETMASK, &before, &now);
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sig != SIGKILL && sig != SIGSTOP && sigismember(&all, sig))
			seen &= sigismember(&now, sig) == 1;
	if (is_emulated())
		skip("to the program, all signals were blocked", NO_MASKS);
	else
		ok(seen, "to the program, all signals were blocked");
}

static void *block_wait_and_burn(void *unused)
{
	uint64_t all = UINT64_MAX; /* as the kernel has its sets of signals */

	/* Behind our back, as if libprofil had been loaded later. */
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, NULL, sizeof(all));
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	burn(SECONDS);
	return unused;
}

/* Checks a thread that no signal can reach: it is not sampled, but that is reported. */
static void deaf(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, block_wait_and_burn, NULL);
	pthread_barrier_wait(&barrier);
	count_everything();
	if (is_emulated())
		skip("a thread that had blocked all signals before", NO_MASKS);
	else
		ok(clock_now().unwatched == 1,
		   "a thread that had blocked all signals before counts as unwatched");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	ok(everything[0] < 5 && clock_now().lost > DUE / 2, "and its time as lost: %llu",
	   clock_now().lost);
	count_nothing();
}

static void detached(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	count_everything();
	pthread_create(&thread, &attr, burn_at_once, NULL);
	while (clock_now().cpu_seconds < SECONDS + 0.01)
		usleep(10000);
	usleep(50000);
	expect("a detached thread");
}

static int to_raw_thread[2]; /* a pipe */

static int raw_thread(void *unused)
{
	char byte;

	burn(0.2);
	syscall(SYS_read, to_raw_thread[0], &byte, sizeof(byte));
	burn(0.1);
	syscall(SYS_exit, 0);
	return unused != NULL;
}

/* Creates a thread without libc. The census finds it, once per second of another's CPU time. The
 * thread has used some before, and uses some after that. */
static void raw_clone(void)
{
	const size_t stack = 65536;
	char *memory =
		mmap(NULL, stack, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	double cpu;
	int flags =
		CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;

	if (pipe(to_raw_thread) < 0)
		bail_out("pipe");
	count_everything();
	cpu = process_cpu();
	if (clone(raw_thread, memory + stack, flags, NULL) < 0) {
		skip("a raw clone()", "this libc refuses to make threads by clone()");
		count_nothing();
		return;
	}
	burn(1.2);
	if (write(to_raw_thread[1], "", 1) != 1)
		bail_out("write");
	usleep(200000);
	cpu = process_cpu() - cpu;
	/* Its time before it was found is billed then; its time at the end is not settled. */
	ok(near(everything[0], cpu * HZ, 0.05), "a raw clone(): %u of %.0f", everything[0],
	   cpu * HZ);
	count_nothing();
}

static void while_main_sleeps(void)
{
	pthread_t threads[3];
	double cpu;

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, burn_at_once, NULL);
	count_everything();
	cpu = process_cpu();
	sleep(1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	cpu = process_cpu() - cpu;
	ok(near(everything[0], cpu * HZ, 0.05), "three threads while main sleeps: %u of %.0f",
	   everything[0], cpu * HZ);
	count_nothing();
}

int main(void)
{
	setenv("PROFIL_HZ", "200", 1);
	pthread_barrier_init(&barrier, NULL, 2);
	existing();
	deaf();
	all_blocked();
	born_later("a thread born later", burn_at_once, false);
	born_later("a thread that blocks all signals", burn_blocked, false);
	open_libgcc();
	born_later("a thread that ends by pthread_exit()", burn_and_exit, false);
	born_later("a thread that is cancelled", burn_until_cancelled, true);
	c11();
	detached();
	while_main_sleeps();
	raw_clone();
	return tap_done();
}
