/* SPDX-License-Identifier: MIT
 *
 * calls_loading.c - libraries that are loaded, unloaded and looked into while the program runs: who
 * calls dlopen() and dlsym() matters to them, and must look the same.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/mman.h>

#include "calls_host.h"
#include "calls_lib.h"
#include "calls_target.h"

/* The head of a plugin, its names and its code: the smallest of them has no more pages. */
#define SPAN (3 * 4096)

typedef int plugin_function(int a, int b);

static void expect_host(void)
{
	expect("lib_add calls=%d", HOST_CALLS_AT_BEGIN + HOST_CALLS_AT_END);
}

static plugin_function *find(void *library, const char *name)
{
	plugin_function *function;

	if (!library) {
		printf("%s\n", dlerror());
		exit(1);
	}
	*(void **)&function = dlsym(library, name);
	if (!function) {
		printf("%s\n", dlerror());
		exit(1);
	}
	return function;
}

/* Before main() and after it. */
static void constructors(void)
{
	printf("in between: %d\n", lib_add(1, 2));
	expect("lib_add calls=1");
	expect_host();
}

/* The host's RUNPATH leads to the plugin; the program's own does not. */
static void runpath(void)
{
	plugin_function *add = find(host_open("libcalls_plugin_add.so"), "plugin_add");
	int sum = 0;

	for (int i = 0; i < 100; i++)
		sum += add(i, 1);
	printf("sum %d\n", sum);
	if (!dlopen("libcalls_plugin_other.so", RTLD_NOW))
		printf("%s\n", dlerror());
	expect("plugin_add calls=100");
	expect("host_open calls=1");
	expect_host();
}

/* Where one plugin was, another comes. */
static long open_and_close(int rounds)
{
	static const char *const names[] = { "add", "other" };
	long sum = 0;

	for (int i = 0; i < rounds; i++) {
		char path[64], function[64];
		void *library;
		plugin_function *f;

		snprintf(path, sizeof(path), "libcalls_plugin_%s.so", names[i & 1]);
		snprintf(function, sizeof(function), "plugin_%s", names[i & 1]);
		library = host_open(path);
		f = find(library, function);
		for (int j = 0; j < 10; j++)
			sum += f(i & 63, j);
		dlclose(library);
	}
	return sum;
}

static void expect_open_and_close(int rounds)
{
	expect("host_open calls=%d", rounds);
	expect("plugin_add calls=%d", 5 * rounds);
	expect("plugin_other calls=%d", 5 * rounds);
	expect_host();
}

static void again_and_again(void)
{
	printf("sum %ld\n", open_and_close(100));
	expect_open_and_close(100);
}

static void *open_in_thread(void *unused)
{
	(void)unused;
	return (void *)open_and_close(50);
}

static void in_threads(void)
{
	pthread_t threads[4];
	long sum = 0;

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, open_in_thread, NULL);
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	printf("sum %ld\n", sum);
	expect_open_and_close(200);
}

/* The names of a closed library are gone with it. Then functions are looked up by which programs
 * are started: a profiler stands in front of them. */
static void closed_before_exec(void)
{
	int (*run)(const char *);
	void *library = host_open("libcalls_plugin_add.so");
	FILE *shell;

	printf("%d\n", find(library, "plugin_add")(1, 2));
	dlclose(library);
	*(void **)&run = dlsym(RTLD_DEFAULT, "system");
	printf("status %d\n", run("true"));
	shell = popen("true", "r");
	printf("status %d\n", shell ? pclose(shell) : -1);
	expect("plugin_add calls=1");
	expect("host_open calls=1");
	expect_host();
}

/* A library is closed as libc closes those that it opens for itself: by a function that no profiler
 * stands in front of. Nothing else is mapped in its place. Then one is opened with a symbol that
 * is in none, so that all are searched.
 */
static void closed_by_libc(void)
{
#ifdef __GLIBC__
	char path[4096];
	int length = (int)(strrchr(target_path, '/') - target_path);
	int (*close_library)(void *);
	struct link_map *map;
	void *base, *library = host_open("libcalls_plugin_add.so");

	*(void **)&close_library = dlsym(RTLD_NEXT, "dlclose");
	printf("%d\n", find(library, "plugin_add")(1, 2));
	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0)
		fail("dlinfo");
	base = (void *)map->l_addr;
	printf("closed: %d\n", close_library(library));
	if (mmap(base, SPAN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) ==
	    MAP_FAILED)
		fail("mmap");
	snprintf(path, sizeof(path), "%.*s/calls_plugins/libcalls_plugin_loose.so", length,
		 target_path);
	printf("%d\n", find(dlopen(path, RTLD_LAZY), "plugin_loose")(3, 4));
	expect("plugin_add calls=1");
	expect("plugin_loose calls=1");
	expect("host_open calls=1");
	expect_host();
#else
	skip_scenario("the linker binds everything at once, and closes nothing");
#endif
}

static void *use_in_thread(void *function)
{
	return (void *)(long)(*(plugin_function **)function)(3, 4);
}

/* Static TLS is scarce: a library that needs much of it is loaded as without a profiler. */
static void static_tls(void)
{
	char path[64];
	plugin_function *use;
	pthread_t thread;
	void *result;

	snprintf(path, sizeof(path), "libcalls_plugin_tls%s.so", scenario_argument);
	use = find(host_open(path), "plugin_tls");
	pthread_create(&thread, NULL, use_in_thread, &use);
	pthread_join(thread, &result);
	printf("%d %ld\n", use(1, 2), (long)result);
	expect("plugin_tls calls=2");
	expect("host_open calls=1");
	expect_host();
}

/* A second copy, in a namespace of its own, beside the first. */
static void name_space(void)
{
	void *library = dlmopen(LM_ID_NEWLM, scenario_argument, RTLD_NOW);
	plugin_function *add = find(library, "lib_add");
	long sum = 0;

	for (int i = 0; i < 10; i++)
		sum += add(i, 1) * 100 + lib_add(i, 2);
	printf("sum %ld\n", sum);
	/* The second copy may be counted or not. */
	expect("lib_add calls=10..20");
	expect_host();
}

/* libcalls_next.so is preloaded and stands in front of lib_add() and malloc(). */
static void interposed(void)
{
	long (*next_mallocs)(void), before, sum = 0;
	void *blocks[100];

	*(void **)&next_mallocs = dlsym(RTLD_DEFAULT, "next_mallocs");
	if (!next_mallocs)
		fail("libcalls_next.so is not preloaded");
	printf("begins\n");
	before = next_mallocs();
	for (int i = 0; i < 100; i++) {
		sum += lib_add(i, 1);
		blocks[i] = malloc((size_t)i + 1);
		memset(blocks[i], i, (size_t)i + 1);
	}
	for (int i = 0; i < 100; i++)
		free(blocks[i]);
	printf("sum %ld, %ld blocks\n", sum, next_mallocs() - before);
	expect("libcalls_next.so:lib_add calls=%d", 100 + HOST_CALLS_AT_BEGIN + HOST_CALLS_AT_END);
	/* A profiler that is not asked by the linker may not see what RTLD_NEXT has found. */
	expect("libcalls.so:lib_add calls=%s%d", *scenario_argument ? "0.." : "",
	       100 + HOST_CALLS_AT_BEGIN + HOST_CALLS_AT_END);
	expect("next_mallocs calls=2");
	/* Others call these as well. */
	expect("libcalls_next.so:malloc calls=?");
	expect("libcalls_next.so:calloc calls=?");
	expect("libcalls_next.so:free calls=?");
}

static const struct scenario scenarios[] = {
	{ "constructors", constructors },
	{ "runpath", runpath },
	{ "again_and_again", again_and_again },
	{ "in_threads", in_threads },
	{ "closed_before_exec", closed_before_exec },
	{ "closed_by_libc", closed_by_libc },
	{ "static_tls", static_tls },
	{ "name_space", name_space },
	{ "interposed", interposed },
};

MAIN_OF(scenarios)
