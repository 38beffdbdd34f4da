/* SPDX-License-Identifier: MIT
 *
 * record_load.c LOAD SECONDS - uses CPU time in one of several ways, and prints how much each of
 * its processes has used.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "record_load.h"

DEFINE_BURNER(burn_a)
DEFINE_BURNER(burn_b)
DEFINE_BURNER(burn_c)
DEFINE_BURNER(burn_d)

static void one_thread(double seconds)
{
	burn_a(seconds);
}

/* ---- four threads, 4 : 2 : 1 : 0.5 ---- */

static const struct {
	void (*burn)(double);
	double share;
} shares[4] = {
	{ burn_a, 4 / 7.5 }, { burn_b, 2 / 7.5 }, { burn_c, 1 / 7.5 }, { burn_d, 0.5 / 7.5 }
};

static double all_of_them;

static void *burn_share(void *argument)
{
	size_t i = (size_t)argument;

	shares[i].burn(shares[i].share * all_of_them);
	return NULL;
}

static void four_threads(double seconds)
{
	pthread_t threads[4];

	all_of_them = seconds;
	for (size_t i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, burn_share, (void *)i);
	for (size_t i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* ---- the kernel's time: half of it in long system calls, half in short ones ---- */

static void system_calls(double seconds)
{
	size_t size = 16 << 20;
	char *buffer = malloc(size);
	int zero = open("/dev/zero", O_RDONLY);

	while (process_cpu() < seconds / 2)
		if (read(zero, buffer, size) != (ssize_t)size)
			exit(1);
	while (process_cpu() < seconds)
		for (int i = 0; i < 1000; i++)
			getppid();
	free(buffer);
}

/* ---- a thousand threads, one after another ---- */

static void *short_life(void *seconds)
{
	burn_a(*(double *)seconds / 1000);
	return NULL;
}

static void short_threads(double seconds)
{
	for (int i = 0; i < 1000; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, short_life, &seconds))
			exit(1);
		pthread_join(thread, NULL);
	}
}

/* ---- children, which have children ---- */

static void children(double seconds)
{
	for (int i = 0; i < 2; i++) {
		if (fork())
			continue;
		if (fork() == 0)
			burn_c(seconds / 6);
		else
			burn_b(seconds / 6);
		while (wait(NULL) > 0)
			;
		say_cpu();
		_exit(0);
	}
	burn_a(seconds / 3);
	while (wait(NULL) > 0)
		;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(double);
	} loads[] = {
		{ "one_thread", one_thread },     { "four_threads", four_threads },
		{ "system_calls", system_calls }, { "short_threads", short_threads },
		{ "children", children },
	};

	for (size_t i = 0; argc == 3 && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (strcmp(argv[1], loads[i].name) == 0) {
			loads[i].run(atof(argv[2]));
			say_cpu();
			return 0;
		}
	return 2;
}
