/* SPDX-License-Identifier: MIT
 *
 * A static program, linked with libprofil.a: the same calls, and all threads.
 */
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

#include "load.h"
#include "tap.h"
#undef profil
/* Not every libc declares it. */
int profil(unsigned short *buf, size_t bufsiz, size_t offset, unsigned int scale);

DEFINE_BURNER(burn)

static void *burn_in_thread(void *unused)
{
	burn(0.5);
	return unused;
}

static void threads(void)
{
	pthread_t threads[3];
	double cpu;

	ok(count_everything() == 0, "profil_linux()");
	cpu = process_cpu();
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, burn_in_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	cpu = process_cpu() - cpu;
	count_nothing();
	/* No callback reports a thread's exit here; the missing time is billed at the end. */
	ok(everything[0] >= cpu * 100 - 4 && everything[0] <= cpu * 100 + 2,
	   "three threads: %u of %.0f", everything[0], cpu * 100);
}

static void *short_life(void *unused)
{
	burn(0.003);
	return unused;
}

/* Starts threads that come and go between two looks at the list of threads, every 8 ticks. */
static void short_threads(void)
{
	double cpu;

	count_everything();
	cpu = process_cpu();
	for (int i = 0; i < 300; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, short_life, NULL);
		pthread_join(thread, NULL);
	}
	cpu = process_cpu() - cpu;
	count_nothing();
	ok(everything[0] >= cpu * 100 - 4 && everything[0] <= cpu * 100 + 3,
	   "300 short threads one after another: %u of %.0f", everything[0], cpu * 100);
}

static void plain_name(void)
{
	memset(everything, 0, sizeof(everything));
	ok(profil(everything, sizeof(everything), 0, 0) == 0, "plain profil() is ours");
	burn(0.2);
	ok(clock_now().running == 1, "and runs on our clock: %s", clock_now().clock);
	count_nothing();
	ok(everything[0] >= 18, "and counts: %u of 20", everything[0]);
}

static void execs(void)
{
	int killed = 0, status;

	setenv("PROFIL_HZ", "20000", 1);
	for (int i = 0; i < 200; i++) {
		pid_t child = fork();

		if (child == 0) {
			count_everything();
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(child, &status, 0);
		killed += status != 0;
	}
	ok(killed == 0, "200 programs that exec while ticking: %d killed", killed);
}

int main(void)
{
	threads();
	short_threads();
	plain_name();
	execs();
	return tap_done();
}
