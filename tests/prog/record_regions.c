/* SPDX-License-Identifier: MIT
 *
 * record_regions.c - works in regions, and prints how much CPU time it spent in each, by its own
 * clock: a line "NAME MICROSECONDS", where NAME is the innermost region. Its arguments are a number
 * of milliseconds for each piece of work, and what to do.
 */
#include <dlfcn.h>
#include <dwell.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long piece_us;

static long cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

/* Works for that long, and reports it for a region. */
static void work(const char *region, long us)
{
	static volatile unsigned long sink;
	long start = cpu_us(), used;

	do {
		for (unsigned i = 0; i < 10000; i++)
			sink += i * i;
		used = cpu_us() - start;
	} while (used < us);
	printf("%s %ld\n", region, used);
	fflush(stdout);
}

/* A name that is gone when the region ends. */
static void begin_temporary(const char *name)
{
	char text[32];

	snprintf(text, sizeof(text), "%s", name);
	dwell_region_begin(text);
	memset(text, 'x', sizeof(text) - 1);
}

static void plainly(void)
{
	work("[no region]", piece_us);
	begin_temporary("parse");
	work("parse", 2 * piece_us);
	dwell_region_begin("db:query");
	work("db:query", 3 * piece_us);
	dwell_region_end("db:query");
	work("parse", piece_us);
	dwell_region_end("parse");
	work("[no region]", piece_us);
}

static void *in_thread(void *name)
{
	dwell_region_begin(name);
	work(name, 2 * piece_us);
	dwell_region_end(name);
	work("[no region]", piece_us);
	return NULL;
}

static void in_threads(void)
{
	static char names[2][8] = { "left", "right" };
	pthread_t threads[2];

	dwell_region_begin("main");
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, in_thread, names[i]);
	work("main", piece_us);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	dwell_region_end("main");
}

/* A child is in the regions in which it was forked. */
static void in_children(void)
{
	pid_t child;

	dwell_region_begin("served");
	work("served", piece_us);
	child = fork();
	if (child == 0) {
		work("served", piece_us);
		dwell_region_begin("child");
		work("child", 2 * piece_us);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	work("served", piece_us);
}

/* Ends without beginnings, and the reverse, jumps, and more regions than there is room for. */
static void badly(void)
{
	static jmp_buf back;
	char name[32];

	dwell_region_end("never begun");
	dwell_region_end(NULL);
	dwell_region_begin("outer");
	if (setjmp(back) == 0) {
		dwell_region_begin("left by a jump");
		dwell_region_begin("this too");
		work("this too", piece_us);
		longjmp(back, 1);
	}
	dwell_region_end("outer");
	work("[no region]", piece_us);
	for (int i = 0; i < 40; i++)
		dwell_region_begin("deep");
	work("deep", piece_us);
	for (int i = 0; i < 39; i++)
		dwell_region_end("deep");
	work("deep", piece_us);
	dwell_region_end("deep");
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "name %d", i);
		dwell_region_begin(name);
		dwell_region_end(name);
	}
	dwell_region_begin("one more name");
	work("[other regions]", piece_us);
	dwell_region_end("one more name");
	dwell_region_begin(NULL);
	dwell_region_end(NULL);
	work("[no region]", piece_us);
}

/* The plugin begins a region that outlasts it. */
static void by_plugin(const char *path)
{
	void *plugin = dlopen(path, RTLD_NOW);
	void (*enter)(const char *), (*leave)(const char *);

	if (!plugin) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&enter = dlsym(plugin, "plugin_enter");
	*(void **)&leave = dlsym(plugin, "plugin_leave");
	enter("plugin");
	work("plugin", 2 * piece_us);
	leave("plugin");
	dlclose(plugin);
	work("[no region]", piece_us);
}

static void on_alarm(int sig)
{
	(void)sig;
	dwell_region_begin("handler");
	dwell_region_end("handler");
}

/* Begins and ends regions all the time, while handlers and other threads do so as well. */
static void *hastily(void *rounds)
{
	char name[16];

	for (long i = 0; i < (long)rounds; i++) {
		snprintf(name, sizeof(name), "hasty %ld", i % 50);
		dwell_region_begin(name);
		dwell_region_begin("inner");
		dwell_region_end("inner");
		dwell_region_end(name);
		if (i % 100 == 0)
			raise(SIGUSR1);
	}
	return NULL;
}

static void in_haste(long rounds)
{
	struct sigaction action = { .sa_handler = on_alarm };
	pthread_t threads[4];

	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, hastily, (void *)rounds);
	for (int i = 0; i < 8; i++) {
		pid_t child = fork();

		if (child == 0) {
			hastily((void *)(rounds / 10));
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	work("[no region]", piece_us);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "plainly";

	piece_us = (argc > 1 ? atol(argv[1]) : 100) * 1000;
	if (strcmp(what, "threads") == 0)
		in_threads();
	else if (strcmp(what, "children") == 0)
		in_children();
	else if (strcmp(what, "badly") == 0)
		badly();
	else if (strcmp(what, "plugin") == 0)
		by_plugin(argv[3]);
	else if (strcmp(what, "haste") == 0)
		in_haste(atol(argv[3]));
	else
		plainly();
	return 0;
}
